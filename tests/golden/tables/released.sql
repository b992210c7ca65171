-- person Ada id-01 XqN8W8qrRukcei6sKPMGuSK0_r1fb0p2BOEUHQ6nSaA
-- person Bob id-02 DHsVxGZ-dsQbuxm9Ko2Uvny-wCgI4xYGemRX7h9XBFc
-- person Cleo id-03 qZJQm0Sq6aUvRDDNkLNiIw7zvqGHmsRrzWYXY2TIcEk
-- person Dan id-04 2-nPlEGY1OCNeVVSWNCEqg2Uo7BlVvn0eDBTwQje-M8
-- table left id-05
-- table series id-06
-- table finished id-07
-- table ais id-08
-- table waiting id-09
-- table old id-10
-- table window id-11
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE events (
	table_id VARCHAR(32) NOT NULL, 
	n INTEGER NOT NULL, 
	at FLOAT NOT NULL, 
	kind VARCHAR(12) NOT NULL, 
	data TEXT NOT NULL, 
	hidden TEXT, 
	CONSTRAINT pk_events PRIMARY KEY (table_id, n), 
	CONSTRAINT fk_events_table_id FOREIGN KEY(table_id) REFERENCES tables (id)
);
INSERT INTO "events" VALUES('id-05',1,1700001000.25,'opened','{"options":{"rules":"common:dice=2","seats":[{"kind":"open"},{"kind":"open"},{"kind":"open"},{"kind":"open"}],"private":false,"timer":null,"games":2,"rated":false,"pace":null,"calza_window":null,"absence":"ai","absence_seconds":null},"creator":"id-01"}',NULL);
INSERT INTO "events" VALUES('id-05',2,1700001000.25,'anchor','{"game":1,"anchor":"5d70d4c499f201d284eb602302f7e6d15255c170daf3bd9e82056b523f439386"}','{"secret":"e07022a7ba0244be15aa55fe9f3a0f967e0036f3089e7e5b3b642ce372ac87e6"}');
INSERT INTO "events" VALUES('id-05',3,1700001001.0,'seated','{"seat":0,"player":{"name":"Ada","kind":"person","id":"id-01","agent":null,"owner":"id-01"},"seed":"00"}',NULL);
INSERT INTO "events" VALUES('id-05',4,1700001001.75,'seated','{"seat":1,"player":{"name":"Bob","kind":"person","id":"id-02","agent":null,"owner":"id-02"},"seed":"01"}',NULL);
INSERT INTO "events" VALUES('id-05',5,1700001002.5,'seated','{"seat":2,"player":{"name":"Cleo","kind":"person","id":"id-03","agent":null,"owner":"id-03"},"seed":"02"}',NULL);
INSERT INTO "events" VALUES('id-05',6,1700001003.25,'seated','{"seat":3,"player":{"name":"Dan","kind":"person","id":"id-04","agent":null,"owner":"id-04"},"seed":"03"}',NULL);
INSERT INTO "events" VALUES('id-05',7,1700001003.25,'started','{"game":1,"first":true,"players":[{"name":"Ada","kind":"person","id":"id-01","agent":null},{"name":"Bob","kind":"person","id":"id-02","agent":null},{"name":"Cleo","kind":"person","id":"id-03","agent":null},{"name":"Dan","kind":"person","id":"id-04","agent":null}],"sitting":[0,1,2,3],"header":{"record":1,"game":"perudo","rules":"common:dice=2","revision":1,"options":{"max_players":10,"dice":2,"single_round":false,"start_mode":"random","start_roll_tie":"reroll_tied","raise_rule":"any_face","cap_bids_at_total":true,"wild":"ones","ace_rank":"not_biddable","ace_opening":"no","ace_exit_plus_one":true,"ace_exit_monotone":true,"dudo_starter":"loser","loss":"one","exact_bid_doubted":"challenger_loses","palafico":"off","palafico_face_change":"already_palafico","palafico_owner_may_change":false,"palafico_aces_wild":false,"nonwild_order":"lexicographic","two_player_palafico":"literal","calza":false,"calza_who":"any_but_bidder","calza_reward":"die","calza_success_starter":"caller","calza_failure_starter":"caller","calza_in_palafico":false,"calza_two_players":false,"calza_after_pass":false,"enable_pass":false,"consecutive_pass":false,"pass_on_opening":false,"pass_in_palafico":true},"players":["Ada","Bob","Cleo","Dan"],"start":{}},"seeds":["00","01","02","03"],"commit":"786e842e9a505cdd8148dabf66f9969a365f18f4d7f12540f98a02db85143eab"}',NULL);
INSERT INTO "events" VALUES('id-05',8,1700001003.25,'deal','{"record":{"n":1,"event":"deal","round":1,"opener":2,"dice":["35","12","44","35"],"fair":{"commit":"786e842e9a505cdd8148dabf66f9969a365f18f4d7f12540f98a02db85143eab","next":"47875e8f3f4aaa2788518241ded30bd034793098f3695b20dd7fb950f078d1a3","anchor":"5d70d4c499f201d284eb602302f7e6d15255c170daf3bd9e82056b523f439386","seeds":["00","01","02","03"],"start_key":"4df55128a0e66bfe5b1cc97f539afdafd097c72e554325eb4fba7e82b55bf6cf","locks":["b3f909ca1718a8b979de6539f11b3db0b2edf5b0f572c0339eb4e3d67b50bb56","bae11b4f3bacb62c7b5f8b582f1607d34139fce372a4fc76feac3de9f5a06668","c97186a04102044dc1ad08a0a2501a83d731e6c6653358d5cf5d99c3a0ca72e4","9d2f706342e47036954568e735587211b7da07910a4a2686d8ff34a680e0f7ed"]}}}',NULL);
INSERT INTO "events" VALUES('id-05',9,1700001003.5,'act','{"record":{"n":2,"event":"act","seat":2,"action":"1x5"},"by":"player","move":"m8"}',NULL);
INSERT INTO "events" VALUES('id-05',10,1700001003.75,'act','{"record":{"n":3,"event":"act","seat":3,"action":"2x4"},"by":"player","move":"q9"}',NULL);
INSERT INTO "events" VALUES('id-05',11,1700001004.0,'act','{"record":{"n":4,"event":"act","seat":0,"action":"2x5"},"by":"player","move":"m10"}',NULL);
INSERT INTO "events" VALUES('id-05',12,1700001004.25,'act','{"record":{"n":5,"event":"act","seat":1,"action":"dudo"},"by":"player","move":"q11"}',NULL);
INSERT INTO "events" VALUES('id-05',13,1700001004.25,'result','{"record":{"n":6,"event":"result","reason":"dudo too soon","caller":1,"target":0,"bid":"2x5","count":3,"lost":[0,1,0,0],"gained":[0,0,0,0],"hands":["35","12","44","35"],"opener":1,"winner":null,"fair":{"keys":["21f2e542404e9ea056c2d6d0a2ea7f364813dd1ec5521c6f5b2199a8bec52b4d","16de8128f974c02caff8f15649a58ee6f074c2cf8bb5bf2018139859f00030e7","ec4b27a493503f501130bed26df22dddb5136d254c61a5c2730b832be4e2943d","37d32ed4503ce5c249d8be3ffe1a94f1f46843634e9138aab1b951be152b42b8"]}}}',NULL);
INSERT INTO "events" VALUES('id-05',14,1700001004.25,'deal','{"record":{"n":7,"event":"deal","round":2,"opener":1,"dice":["26","2","16","56"],"fair":{"commit":"47875e8f3f4aaa2788518241ded30bd034793098f3695b20dd7fb950f078d1a3","next":"a3e59f3ef05380f84c91f24da2e8899c117f916abd16773e8119314519a8b880","locks":["1c31b6e83a78c2f902b1117cde49d815e0ef6268d5695e6aa56dab8bac59215d","05772fb817a468080194f78d94f405514c5039b85f3436e11f4278b9d142c581","e173f3579040ddf302931dcc00302f9783c03f83949bbdfdc637a3d3913d2e5f","dd4fbaab72163a9e1cad6ac3e711db66d142a6404dd209573e960ffd0bf63dc6"]}}}',NULL);
INSERT INTO "events" VALUES('id-05',15,1700001004.5,'act','{"record":{"n":8,"event":"act","seat":1,"action":"1x5"},"by":"player","move":"m14"}',NULL);
INSERT INTO "events" VALUES('id-05',16,1700001004.75,'left','{"seat":3,"reason":"left","stand_in":"observer"}',NULL);
INSERT INTO "events" VALUES('id-05',17,1700001035.75,'absent','{"seat":2,"agent":"observer"}',NULL);
INSERT INTO "events" VALUES('id-05',18,1700001035.75,'act','{"record":{"n":9,"event":"act","seat":2,"action":"2x2"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-05',19,1700001035.75,'act','{"record":{"n":10,"event":"act","seat":3,"action":"2x3"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-05',20,1700001036.0,'act','{"record":{"n":11,"event":"act","seat":0,"action":"2x5"},"by":"player","move":"m19"}',NULL);
INSERT INTO "events" VALUES('id-05',21,1700001036.25,'act','{"record":{"n":12,"event":"act","seat":1,"action":"dudo"},"by":"player","move":"q20"}',NULL);
INSERT INTO "events" VALUES('id-05',22,1700001036.25,'result','{"record":{"n":13,"event":"result","reason":"dudo too soon","caller":1,"target":0,"bid":"2x5","count":2,"lost":[0,1,0,0],"gained":[0,0,0,0],"hands":["26","2","16","56"],"opener":2,"winner":null,"fair":{"keys":["39f84e46f2b05f4bb3d8d67ae468d3c1940e24bfd8f37dc432a94ded365b073e","8e992c15c98be3ab85760853ca741a995568e169bbf8a43ec8af0a45f067ffea","09bf1e5a659d461cec32601e524077047fba16577a1fece047092861ba650b15","f8dcc0be708935217d03a32b2b016c69e74dd2ddefded0940ec33a8316f4b95f"]}}}',NULL);
INSERT INTO "events" VALUES('id-05',23,1700001036.25,'deal','{"record":{"n":14,"event":"deal","round":3,"opener":2,"dice":["22","","15","45"],"fair":{"commit":"a3e59f3ef05380f84c91f24da2e8899c117f916abd16773e8119314519a8b880","next":"3640ece2cd60fb44311a6d68d4e1e2dc47bcafbf1fe76e30ec3d251576262c55","locks":["f97df8f07bfa32a3eaead8172b0b03a98f9c661f26b64251b60a3fb70c7629f6","42f35e02989eeba2b8c1565ffe8fe9d1d2e911d82e07ed38c77e1ee596912ed8","c3bb70965338f7ef58af203a6153c8f6a8491991d5827a5194d9d78ee598f2ae","9bef7935f46b258021f5dee50c8439aa7e06c8c7dd2e6e8dbdc160ab741136e3"]}}}',NULL);
INSERT INTO "events" VALUES('id-05',24,1700001039.25,'act','{"record":{"n":15,"event":"act","seat":2,"action":"1x2"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-05',25,1700001039.25,'act','{"record":{"n":16,"event":"act","seat":3,"action":"1x4"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-05',26,1700001039.5,'act','{"record":{"n":17,"event":"act","seat":0,"action":"2x2"},"by":"player","move":"m25"}',NULL);
INSERT INTO "events" VALUES('id-05',27,1700001039.5,'act','{"record":{"n":18,"event":"act","seat":2,"action":"dudo"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-05',28,1700001039.5,'result','{"record":{"n":19,"event":"result","reason":"dudo too soon","caller":2,"target":0,"bid":"2x2","count":3,"lost":[0,0,1,0],"gained":[0,0,0,0],"hands":["22","","15","45"],"opener":2,"winner":null,"fair":{"keys":["7ec0e352e7ec32a955aff923534f9b16eb3db8798a1c57afe295ab7ad4e381b6",null,"d2de17a7685de359638e2a60383d3b946cd4c2ffb11ffcc04f3e2eb1415dd1c7","5df277a74d418b536045feb20e667cb075d973621d7a61794b672b12c49994ec"]}}}',NULL);
INSERT INTO "events" VALUES('id-05',29,1700001039.5,'deal','{"record":{"n":20,"event":"deal","round":4,"opener":2,"dice":["26","","1","56"],"fair":{"commit":"3640ece2cd60fb44311a6d68d4e1e2dc47bcafbf1fe76e30ec3d251576262c55","next":"cb2ba367f3e6898c25b920404b3b659fd9f993ad2a84dd79e123cf62187e4168","locks":["67bafd4e349c6eafd5d5b04325a608b052aec3c7211b2ac1b8380825c2e31c04","ee8405030b6fc86c51fb849579161be17d3a3ee9a183435fdaa72b386ea6bd5b","fbbb7fbe341d23a37db9103453eabcba8dc0b50580bf73e46460845becb69f27","79251d90e814e69c30b43079de0738fb22392354585029f81e37ede33db40f5d"]}}}',NULL);
INSERT INTO "events" VALUES('id-06',1,1700001039.75,'opened','{"options":{"rules":"common:dice=1","seats":[{"kind":"open"},{"kind":"open"}],"private":false,"timer":null,"games":3,"rated":false,"pace":null,"calza_window":null,"absence":"ai","absence_seconds":null},"creator":"id-02"}',NULL);
INSERT INTO "events" VALUES('id-06',2,1700001039.75,'anchor','{"game":1,"anchor":"ac3e566123008e358dea8a6c2101c0e23d3b496639593bf7212dee2bdd4ce502"}','{"secret":"bdfcba31b44285bc503a31cd66086bd3cf06e19eae82663bef65bfb57b875f59"}');
INSERT INTO "events" VALUES('id-06',3,1700001040.5,'seated','{"seat":0,"player":{"name":"Ada","kind":"person","id":"id-01","agent":null,"owner":"id-01"},"seed":"00"}',NULL);
INSERT INTO "events" VALUES('id-06',4,1700001041.25,'seated','{"seat":1,"player":{"name":"Bob","kind":"person","id":"id-02","agent":null,"owner":"id-02"},"seed":"01"}',NULL);
INSERT INTO "events" VALUES('id-06',5,1700001041.25,'started','{"game":1,"first":true,"players":[{"name":"Ada","kind":"person","id":"id-01","agent":null},{"name":"Bob","kind":"person","id":"id-02","agent":null}],"sitting":[0,1],"header":{"record":1,"game":"perudo","rules":"common:dice=1","revision":1,"options":{"max_players":10,"dice":1,"single_round":false,"start_mode":"random","start_roll_tie":"reroll_tied","raise_rule":"any_face","cap_bids_at_total":true,"wild":"ones","ace_rank":"not_biddable","ace_opening":"no","ace_exit_plus_one":true,"ace_exit_monotone":true,"dudo_starter":"loser","loss":"one","exact_bid_doubted":"challenger_loses","palafico":"off","palafico_face_change":"already_palafico","palafico_owner_may_change":false,"palafico_aces_wild":false,"nonwild_order":"lexicographic","two_player_palafico":"literal","calza":false,"calza_who":"any_but_bidder","calza_reward":"die","calza_success_starter":"caller","calza_failure_starter":"caller","calza_in_palafico":false,"calza_two_players":false,"calza_after_pass":false,"enable_pass":false,"consecutive_pass":false,"pass_on_opening":false,"pass_in_palafico":true},"players":["Ada","Bob"],"start":{}},"seeds":["00","01"],"commit":"97ac3c6f63430d032e42548a9129e60d192cf6c031d4479b0893600b0ebc14e8"}',NULL);
INSERT INTO "events" VALUES('id-06',6,1700001041.25,'deal','{"record":{"n":1,"event":"deal","round":1,"opener":1,"dice":["3","2"],"fair":{"commit":"97ac3c6f63430d032e42548a9129e60d192cf6c031d4479b0893600b0ebc14e8","next":"fe0019ebf3fd87bbbdc40537188f04e3a6f6e0d9c438abfe7b7e4a53f42fe694","anchor":"ac3e566123008e358dea8a6c2101c0e23d3b496639593bf7212dee2bdd4ce502","seeds":["00","01"],"start_key":"56338973f1749eda8cecbe5e75b53cb5cc07cceaffdf4bdd7be74d95f877b023","locks":["82db21c7413dbb46ecd868fced2464c11a544cf3542fc5fd8178955e0c32665c","d5effc8fa51725c3691377454e70bb42357c7a538b90f939e713162f1566595b"]}}}',NULL);
INSERT INTO "events" VALUES('id-06',7,1700001041.5,'act','{"record":{"n":2,"event":"act","seat":1,"action":"1x3"},"by":"player","move":"q6"}',NULL);
INSERT INTO "events" VALUES('id-06',8,1700001041.75,'act','{"record":{"n":3,"event":"act","seat":0,"action":"1x4"},"by":"player","move":"q7"}',NULL);
INSERT INTO "events" VALUES('id-06',9,1700001042.0,'act','{"record":{"n":4,"event":"act","seat":1,"action":"2x3"},"by":"player","move":"q8"}',NULL);
INSERT INTO "events" VALUES('id-06',10,1700001042.25,'act','{"record":{"n":5,"event":"act","seat":0,"action":"dudo"},"by":"player","move":"q9"}',NULL);
INSERT INTO "events" VALUES('id-06',11,1700001042.25,'result','{"record":{"n":6,"event":"result","reason":"bid too high","caller":0,"target":1,"bid":"2x3","count":1,"lost":[0,1],"gained":[0,0],"hands":["3","2"],"opener":null,"winner":0,"fair":{"keys":["9b8b1d3c218404215f94f0585513dcf68a527227eb765487780c01c3953bbd8d","02dd82feae344f627e59c54f75c34b87bd6b42468deb83ede9807db2a6ef6843"]}}}',NULL);
INSERT INTO "events" VALUES('id-06',12,1700001042.25,'end','{"record":{"n":7,"event":"end","payoffs":[1.0,-1.0],"fair":{"secret":"bdfcba31b44285bc503a31cd66086bd3cf06e19eae82663bef65bfb57b875f59"}}}',NULL);
INSERT INTO "events" VALUES('id-06',13,1700001042.25,'anchor','{"game":2,"anchor":"4d0fb173756299041e2c3587cb9ecd5acda523403a75c233aee2fe95bcc17851"}','{"secret":"16efaeaaf7d815c1afd99761e47e62fd7b47be0bf89b188add6686c83b2237ea"}');
INSERT INTO "events" VALUES('id-05',30,1700001042.5,'act','{"record":{"n":21,"event":"act","seat":2,"action":"1x3"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-05',31,1700001042.5,'act','{"record":{"n":22,"event":"act","seat":3,"action":"1x5"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-07',1,1700001042.5,'opened','{"options":{"rules":"uk:dice=1","seats":[{"kind":"open"},{"kind":"open"}],"private":false,"timer":null,"games":1,"rated":false,"pace":null,"calza_window":null,"absence":"ai","absence_seconds":null},"creator":"id-03"}',NULL);
INSERT INTO "events" VALUES('id-07',2,1700001042.5,'anchor','{"game":1,"anchor":"5f58c8624b44d7640e0f2c455b598e0effef691cd470205a1cc96e57e5ad61cd"}','{"secret":"bb3aa5c08d9603dade954ea8adecfa8fb9faae3ad683c7f96b5faff81b5e5e46"}');
INSERT INTO "events" VALUES('id-07',3,1700001043.25,'seated','{"seat":0,"player":{"name":"Cleo","kind":"person","id":"id-03","agent":null,"owner":"id-03"},"seed":"00"}',NULL);
INSERT INTO "events" VALUES('id-07',4,1700001044.0,'seated','{"seat":1,"player":{"name":"Dan","kind":"person","id":"id-04","agent":null,"owner":"id-04"},"seed":"01"}',NULL);
INSERT INTO "events" VALUES('id-07',5,1700001044.0,'started','{"game":1,"first":true,"players":[{"name":"Cleo","kind":"person","id":"id-03","agent":null},{"name":"Dan","kind":"person","id":"id-04","agent":null}],"sitting":[0,1],"header":{"record":1,"game":"perudo","rules":"uk:dice=1","revision":1,"options":{"max_players":6,"dice":1,"single_round":false,"start_mode":"roll","start_roll_tie":"reroll_tied","raise_rule":"any_face","cap_bids_at_total":true,"wild":"ones","ace_rank":"above_double","ace_opening":"palafico_only","ace_exit_plus_one":true,"ace_exit_monotone":true,"dudo_starter":"loser","loss":"one","exact_bid_doubted":"challenger_loses","palafico":"automatic","palafico_face_change":"already_palafico","palafico_owner_may_change":false,"palafico_aces_wild":false,"nonwild_order":"lexicographic","two_player_palafico":"literal","calza":true,"calza_who":"any_but_next","calza_reward":"die","calza_success_starter":"caller","calza_failure_starter":"caller","calza_in_palafico":false,"calza_two_players":false,"calza_after_pass":false,"enable_pass":false,"consecutive_pass":false,"pass_on_opening":false,"pass_in_palafico":true},"players":["Cleo","Dan"],"start":{}},"seeds":["00","01"],"commit":"d256e36b7b2ef1371984329a30610978707b3c9b0fa3ee8a0650ac075f965261"}',NULL);
INSERT INTO "events" VALUES('id-07',6,1700001044.0,'deal','{"record":{"n":1,"event":"deal","round":1,"opener":1,"dice":["2","6"],"fair":{"commit":"d256e36b7b2ef1371984329a30610978707b3c9b0fa3ee8a0650ac075f965261","next":"0fbda9e05ea793ce26fc76b89937ea084e75db562c1ddb8a4aa9ebbcab169e96","anchor":"5f58c8624b44d7640e0f2c455b598e0effef691cd470205a1cc96e57e5ad61cd","seeds":["00","01"],"start_key":"1269300eff4faefc0361b1ef04a4609036e0ccffd228d9e328953b8cf3145c8c","locks":["b349314a483570f10b9366e281a23279cafc32d564082194f5f26fa15c896f63","8769638526244b8e712753dd36c20a7dcbb223c0b2c1d0fc9b745bb4d065f15e"]},"start_roll":[[3,5]]}}',NULL);
INSERT INTO "events" VALUES('id-07',7,1700001044.25,'act','{"record":{"n":2,"event":"act","seat":1,"action":"1x3"},"by":"player","move":"q6"}',NULL);
INSERT INTO "events" VALUES('id-07',8,1700001044.5,'act','{"record":{"n":3,"event":"act","seat":0,"action":"2x1"},"by":"player","move":"m7"}',NULL);
INSERT INTO "events" VALUES('id-07',9,1700001044.75,'act','{"record":{"n":4,"event":"act","seat":1,"action":"dudo"},"by":"player","move":"q8"}',NULL);
INSERT INTO "events" VALUES('id-07',10,1700001044.75,'result','{"record":{"n":5,"event":"result","reason":"bid too high","caller":1,"target":0,"bid":"2x1","count":0,"lost":[1,0],"gained":[0,0],"hands":["2","6"],"opener":null,"winner":1,"fair":{"keys":["0198bf23f00dc328e3ebacd6f053e1962b6bb0ffa300389ee2fa9fa8b2485726","597e97bb4eb67ee18be4fbc8673e2d59fa53de89743e56f0cfe360d38a722ace"]}}}',NULL);
INSERT INTO "events" VALUES('id-07',11,1700001044.75,'end','{"record":{"n":6,"event":"end","payoffs":[-1.0,1.0],"fair":{"secret":"bb3aa5c08d9603dade954ea8adecfa8fb9faae3ad683c7f96b5faff81b5e5e46"}}}',NULL);
INSERT INTO "events" VALUES('id-07',12,1700001044.75,'anchor','{"game":2,"anchor":"d41fdf54e8a07f01ae0bc27036c872af57a5c11f8d54734a6a4cff69258efacb"}','{"secret":"15e7a2bd4142b7a34a7c051b8d89b5c34ceb80a8c2f36398dc571889ca4f2a0c"}');
INSERT INTO "events" VALUES('id-08',1,1700001045.0,'opened','{"options":{"rules":"official:dice=1","seats":[{"kind":"ai","agent":"observer","level":null},{"kind":"ai","agent":"l-dumb","level":null},{"kind":"ai","agent":"probabilistic","level":null}],"private":false,"timer":null,"games":5,"rated":false,"pace":1.0,"calza_window":null,"absence":"ai","absence_seconds":null},"creator":"id-04"}',NULL);
INSERT INTO "events" VALUES('id-08',2,1700001045.0,'anchor','{"game":1,"anchor":"823bceb9b5171ab59952dd54a6890beadd787f9e76b60318a5654101e361dc36"}','{"secret":"87fcac171766df88851796b49b190ab6d666affe218fda897bf7c0c12c0df536"}');
INSERT INTO "events" VALUES('id-08',3,1700001045.0,'seated','{"seat":0,"player":{"name":"observer (A)","kind":"ai","id":null,"agent":"observer","owner":null},"seed":""}',NULL);
INSERT INTO "events" VALUES('id-08',4,1700001045.0,'seated','{"seat":1,"player":{"name":"l-dumb (B)","kind":"ai","id":null,"agent":"l-dumb","owner":null},"seed":""}',NULL);
INSERT INTO "events" VALUES('id-08',5,1700001045.0,'seated','{"seat":2,"player":{"name":"probabilistic (C)","kind":"ai","id":null,"agent":"probabilistic","owner":null},"seed":""}',NULL);
INSERT INTO "events" VALUES('id-08',6,1700001045.0,'started','{"game":1,"first":true,"players":[{"name":"observer (A)","kind":"ai","id":null,"agent":"observer"},{"name":"l-dumb (B)","kind":"ai","id":null,"agent":"l-dumb"},{"name":"probabilistic (C)","kind":"ai","id":null,"agent":"probabilistic"}],"sitting":[0,1,2],"header":{"record":1,"game":"perudo","rules":"official:dice=1","revision":1,"options":{"max_players":6,"dice":1,"single_round":false,"start_mode":"roll","start_roll_tie":"reroll_tied","raise_rule":"any_face","cap_bids_at_total":true,"wild":"ones","ace_rank":"above_double","ace_opening":"palafico_only","ace_exit_plus_one":true,"ace_exit_monotone":true,"dudo_starter":"loser","loss":"one","exact_bid_doubted":"challenger_loses","palafico":"automatic","palafico_face_change":"already_palafico","palafico_owner_may_change":false,"palafico_aces_wild":false,"nonwild_order":"lexicographic","two_player_palafico":"literal","calza":true,"calza_who":"any_but_bidder","calza_reward":"die","calza_success_starter":"caller","calza_failure_starter":"caller","calza_in_palafico":false,"calza_two_players":false,"calza_after_pass":false,"enable_pass":true,"consecutive_pass":false,"pass_on_opening":false,"pass_in_palafico":true},"players":["observer (A)","l-dumb (B)","probabilistic (C)"],"start":{}},"seeds":["","",""],"commit":"1c502aea4c8d43abdec750067d8bc438525088ed15fd437c0430d62c6cf670d0"}',NULL);
INSERT INTO "events" VALUES('id-08',7,1700001045.0,'deal','{"record":{"n":1,"event":"deal","round":1,"opener":1,"dice":["1","3","6"],"fair":{"commit":"1c502aea4c8d43abdec750067d8bc438525088ed15fd437c0430d62c6cf670d0","next":"98314e2c8755853c99a90d135273ad0ee36e92ae2c9e09ffbc51b1dccc8c61aa","anchor":"823bceb9b5171ab59952dd54a6890beadd787f9e76b60318a5654101e361dc36","seeds":["","",""],"start_key":"5a4be61e30d3107464152252debd87f032f7706cf9c440df4eded809fac20edb","locks":["d5a24e8a1df66e8bf6ca49b6c41395a037fc4826def34cae88c71d711dc1d833","ec411c36fb41b25052e6e262210b5c94a7a9816f6f7cf9eed687bd35258534e7","71f6f4b32cccfd24c2cdf95baa1c2349b46fe7d5cd623cd75a76ce1661684196"]},"start_roll":[[3,3,1],[2,6,null]]}}',NULL);
INSERT INTO "events" VALUES('id-08',8,1700001046.5,'act','{"record":{"n":2,"event":"act","seat":1,"action":"1x3"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',9,1700001046.5,'act','{"record":{"n":3,"event":"act","seat":0,"action":"decline"},"by":"window","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',10,1700001047.5,'act','{"record":{"n":4,"event":"act","seat":2,"action":"1x4"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',11,1700001047.5,'act','{"record":{"n":5,"event":"act","seat":1,"action":"decline"},"by":"window","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',12,1700001048.5,'act','{"record":{"n":6,"event":"act","seat":0,"action":"1x1"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-06',14,1700001048.5,'started','{"game":2,"first":false,"players":[{"name":"Ada","kind":"person","id":"id-01","agent":null},{"name":"Bob","kind":"person","id":"id-02","agent":null}],"sitting":[0,1],"header":{"record":1,"game":"perudo","rules":"common:dice=1","revision":1,"options":{"max_players":10,"dice":1,"single_round":false,"start_mode":"random","start_roll_tie":"reroll_tied","raise_rule":"any_face","cap_bids_at_total":true,"wild":"ones","ace_rank":"not_biddable","ace_opening":"no","ace_exit_plus_one":true,"ace_exit_monotone":true,"dudo_starter":"loser","loss":"one","exact_bid_doubted":"challenger_loses","palafico":"off","palafico_face_change":"already_palafico","palafico_owner_may_change":false,"palafico_aces_wild":false,"nonwild_order":"lexicographic","two_player_palafico":"literal","calza":false,"calza_who":"any_but_bidder","calza_reward":"die","calza_success_starter":"caller","calza_failure_starter":"caller","calza_in_palafico":false,"calza_two_players":false,"calza_after_pass":false,"enable_pass":false,"consecutive_pass":false,"pass_on_opening":false,"pass_in_palafico":true},"players":["Ada","Bob"],"start":{}},"seeds":["00","01"],"commit":"2c9b695090a923adb275a0770a8142049003c659907baf13569d17e375160647"}',NULL);
INSERT INTO "events" VALUES('id-06',15,1700001048.5,'deal','{"record":{"n":1,"event":"deal","round":1,"opener":0,"dice":["3","2"],"fair":{"commit":"2c9b695090a923adb275a0770a8142049003c659907baf13569d17e375160647","next":"03d7ecfa2bc2ff8e33757644a4a3f6fe32f01275978776ca604b09f7bfd3e24b","anchor":"4d0fb173756299041e2c3587cb9ecd5acda523403a75c233aee2fe95bcc17851","seeds":["00","01"],"start_key":"846b46dbb4f4b0a349c42306f9cba978629a8c6a59929e4b0224fecfd3d83b30","locks":["9cd9fe7bd217f9b43a28b71a37e503fc3d3c8f4d27e1b07db44e78571b4dba6f","70fd8f92b4ae67a489363131871566bb486127273dcb02a1b7992a560c09e03b"]}}}',NULL);
INSERT INTO "events" VALUES('id-08',13,1700001048.5,'act','{"record":{"n":7,"event":"act","seat":2,"action":"decline"},"by":"window","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',14,1700001049.5,'act','{"record":{"n":8,"event":"act","seat":1,"action":"2x1"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',15,1700001049.5,'act','{"record":{"n":9,"event":"act","seat":0,"action":"decline"},"by":"window","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',16,1700001050.5,'act','{"record":{"n":10,"event":"act","seat":2,"action":"dudo"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',17,1700001050.5,'result','{"record":{"n":11,"event":"result","reason":"bid too high","caller":2,"target":1,"bid":"2x1","count":1,"lost":[0,1,0],"gained":[0,0,0],"hands":["1","3","6"],"opener":2,"winner":null,"fair":{"keys":["9139a66f3f43bf0a2dfed2490887dc156ea5e35c0d12e5f1a38516f481981cf9","f4d4a5040a82fadb3c137719a5851d10dea7f4f58399ed366acbb4c1abde5e1e","3e0f327ce27404406a1ccdab4a1b47b45876ccab808db71055cc2795e3e4cec0"]}}}',NULL);
INSERT INTO "events" VALUES('id-08',18,1700001050.5,'deal','{"record":{"n":12,"event":"deal","round":2,"opener":2,"dice":["5","","6"],"fair":{"commit":"98314e2c8755853c99a90d135273ad0ee36e92ae2c9e09ffbc51b1dccc8c61aa","next":"3375cd159112bd87c068f8ebb3a0effb31de5d736239f9f6fa7fdb42747ceb43","locks":["891a4a32633b78505d0d85f16ad34a23a8c2c95ec6faee01701aa651bf98ae2f","965375b8a0be2244d91b45e5d1d664f5cd6cbd981cf79df36b80a17344eff49a","085764f810eb1f9050620488a9f180dc5433a784343d5d7f8ac8768f6f625947"]}}}',NULL);
INSERT INTO "events" VALUES('id-08',19,1700001051.5,'act','{"record":{"n":13,"event":"act","seat":2,"action":"1x3"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',20,1700001052.5,'act','{"record":{"n":14,"event":"act","seat":0,"action":"1x6"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',21,1700001053.5,'act','{"record":{"n":15,"event":"act","seat":2,"action":"2x1"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',22,1700001054.5,'act','{"record":{"n":16,"event":"act","seat":0,"action":"dudo"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',23,1700001054.5,'result','{"record":{"n":17,"event":"result","reason":"bid too high","caller":0,"target":2,"bid":"2x1","count":0,"lost":[0,0,1],"gained":[0,0,0],"hands":["5","","6"],"opener":null,"winner":0,"fair":{"keys":["a84b1f8f8a3cfe754b25ce4436aba9adec5ea7666995fa3a40c6c21842ae1c36",null,"a778bcda0787f80be15777f0c25ae04b0555ea438b1482bc5f515cc7b4ba8cc9"]}}}',NULL);
INSERT INTO "events" VALUES('id-08',24,1700001054.5,'end','{"record":{"n":18,"event":"end","payoffs":[1.0,-0.5,-0.5],"fair":{"secret":"87fcac171766df88851796b49b190ab6d666affe218fda897bf7c0c12c0df536"}}}',NULL);
INSERT INTO "events" VALUES('id-08',25,1700001054.5,'anchor','{"game":2,"anchor":"8f2e1041228dead49b4141f83159224acb2330f2f03fc3dbc14ee456f2a056e2"}','{"secret":"80be1f3a4df6ac61137e036727b8dbc11a7a5d858184b82591b16fdccb9777b6"}');
INSERT INTO "events" VALUES('id-08',26,1700001054.5,'started','{"game":2,"first":false,"players":[{"name":"l-dumb (B)","kind":"ai","id":null,"agent":"l-dumb"},{"name":"probabilistic (C)","kind":"ai","id":null,"agent":"probabilistic"},{"name":"observer (A)","kind":"ai","id":null,"agent":"observer"}],"sitting":[1,2,0],"header":{"record":1,"game":"perudo","rules":"official:dice=1","revision":1,"options":{"max_players":6,"dice":1,"single_round":false,"start_mode":"roll","start_roll_tie":"reroll_tied","raise_rule":"any_face","cap_bids_at_total":true,"wild":"ones","ace_rank":"above_double","ace_opening":"palafico_only","ace_exit_plus_one":true,"ace_exit_monotone":true,"dudo_starter":"loser","loss":"one","exact_bid_doubted":"challenger_loses","palafico":"automatic","palafico_face_change":"already_palafico","palafico_owner_may_change":false,"palafico_aces_wild":false,"nonwild_order":"lexicographic","two_player_palafico":"literal","calza":true,"calza_who":"any_but_bidder","calza_reward":"die","calza_success_starter":"caller","calza_failure_starter":"caller","calza_in_palafico":false,"calza_two_players":false,"calza_after_pass":false,"enable_pass":true,"consecutive_pass":false,"pass_on_opening":false,"pass_in_palafico":true},"players":["l-dumb (B)","probabilistic (C)","observer (A)"],"start":{}},"seeds":["","",""],"commit":"f4ac4caa5dd288f16e08c715812edc9a1e0e9ac8b094228c0e4a7477e56a2b52"}',NULL);
INSERT INTO "events" VALUES('id-08',27,1700001054.5,'deal','{"record":{"n":1,"event":"deal","round":1,"opener":0,"dice":["2","5","1"],"fair":{"commit":"f4ac4caa5dd288f16e08c715812edc9a1e0e9ac8b094228c0e4a7477e56a2b52","next":"1ad6d11180e3596a68cbc13f631b37a733cb15e9c7c0f8884b23954b7ed7f0a0","anchor":"8f2e1041228dead49b4141f83159224acb2330f2f03fc3dbc14ee456f2a056e2","seeds":["","",""],"start_key":"5e44a7f4e71d22a12a64ac19b84371d372dc1ff9ba6c21f0c4678a6a87ba18b1","locks":["8f2442254b57cb4923336826dfdeeeb93dd5cefb4d40e6f8c7c730365f9b46df","c1d1d8707799b28e7c9fd8ed3b9f2908e9d1fdc0fffa5a424dca31378fcc27f9","16d60c868e94ea04513a2239754f2282db0ef7a61e641af01c94a61310ed6576"]},"start_roll":[[5,4,3]]}}',NULL);
INSERT INTO "events" VALUES('id-08',28,1700001055.5,'act','{"record":{"n":2,"event":"act","seat":0,"action":"1x2"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',29,1700001055.5,'act','{"record":{"n":3,"event":"act","seat":2,"action":"calza"},"by":"window","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',30,1700001055.5,'result','{"record":{"n":4,"event":"result","reason":"calza wrong","caller":2,"target":0,"bid":"1x2","count":2,"lost":[0,0,1],"gained":[0,0,0],"hands":["2","5","1"],"opener":0,"winner":null,"fair":{"keys":["b681f3b7269e80fe29e36d29f29b66dc946d6ce61f92eeadaa9bfbe5523854fe","5ba07bc28727da385f1e53c1a691510d3132d0cb528e2f3c7eea8edb53f16bec","604f7bee35f8dea4b2f6565cb8f70f6cf127f88505c1fcd48bee93594f9f7293"]}}}',NULL);
INSERT INTO "events" VALUES('id-08',31,1700001055.5,'deal','{"record":{"n":5,"event":"deal","round":2,"opener":0,"dice":["5","3",""],"fair":{"commit":"1ad6d11180e3596a68cbc13f631b37a733cb15e9c7c0f8884b23954b7ed7f0a0","next":"d6a5e25bab5c010528d31bf21019db920f35b9930e6f5747dc57f8375010b5c0","locks":["016a0e1f889ad05278e114d0914e22f9567379247e216681196e25e0ea7b0b64","bf36a8af1bd6fe9856d9075c8a41ab5c18a9230aa4d0845138fdc760cee2c428","9313a164cbf6cd64de83ea657194230840b0e6182b2eb35ea5c51522be560b94"]}}}',NULL);
INSERT INTO "events" VALUES('id-08',32,1700001056.5,'act','{"record":{"n":6,"event":"act","seat":0,"action":"1x4"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',33,1700001057.5,'act','{"record":{"n":7,"event":"act","seat":1,"action":"1x6"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',34,1700001058.5,'act','{"record":{"n":8,"event":"act","seat":0,"action":"2x1"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',35,1700001059.5,'act','{"record":{"n":9,"event":"act","seat":1,"action":"dudo"},"by":"ai","move":null}',NULL);
INSERT INTO "events" VALUES('id-08',36,1700001059.5,'result','{"record":{"n":10,"event":"result","reason":"bid too high","caller":1,"target":0,"bid":"2x1","count":0,"lost":[1,0,0],"gained":[0,0,0],"hands":["5","3",""],"opener":null,"winner":1,"fair":{"keys":["dfe6846fec6a69157c1fe606dd9a5eb4295c4a221a3b66cfc8991c1141acb5eb","554d987b010bf58fae6c83ec076059fa4efdc60949635ccc093453aa61b478cc",null]}}}',NULL);
INSERT INTO "events" VALUES('id-08',37,1700001059.5,'end','{"record":{"n":11,"event":"end","payoffs":[-0.5,1.0,-0.5],"fair":{"secret":"80be1f3a4df6ac61137e036727b8dbc11a7a5d858184b82591b16fdccb9777b6"}}}',NULL);
INSERT INTO "events" VALUES('id-08',38,1700001059.5,'anchor','{"game":3,"anchor":"007b5e6450b1d6b6661c24c61cb375ca63d60fe8a045da36a259803ccd328868"}','{"secret":"d1b2adef179c5cff3bff317e223521c0c84b13b2e76cc99c4223bb54c647857f"}');
INSERT INTO "events" VALUES('id-08',39,1700001059.5,'started','{"game":3,"first":false,"players":[{"name":"probabilistic (C)","kind":"ai","id":null,"agent":"probabilistic"},{"name":"observer (A)","kind":"ai","id":null,"agent":"observer"},{"name":"l-dumb (B)","kind":"ai","id":null,"agent":"l-dumb"}],"sitting":[2,0,1],"header":{"record":1,"game":"perudo","rules":"official:dice=1","revision":1,"options":{"max_players":6,"dice":1,"single_round":false,"start_mode":"roll","start_roll_tie":"reroll_tied","raise_rule":"any_face","cap_bids_at_total":true,"wild":"ones","ace_rank":"above_double","ace_opening":"palafico_only","ace_exit_plus_one":true,"ace_exit_monotone":true,"dudo_starter":"loser","loss":"one","exact_bid_doubted":"challenger_loses","palafico":"automatic","palafico_face_change":"already_palafico","palafico_owner_may_change":false,"palafico_aces_wild":false,"nonwild_order":"lexicographic","two_player_palafico":"literal","calza":true,"calza_who":"any_but_bidder","calza_reward":"die","calza_success_starter":"caller","calza_failure_starter":"caller","calza_in_palafico":false,"calza_two_players":false,"calza_after_pass":false,"enable_pass":true,"consecutive_pass":false,"pass_on_opening":false,"pass_in_palafico":true},"players":["probabilistic (C)","observer (A)","l-dumb (B)"],"start":{}},"seeds":["","",""],"commit":"34c8f9337ddb91880c61cc135c4417c1b9af26a665830f6038849351d0729713"}',NULL);
INSERT INTO "events" VALUES('id-08',40,1700001059.5,'deal','{"record":{"n":1,"event":"deal","round":1,"opener":2,"dice":["5","1","5"],"fair":{"commit":"34c8f9337ddb91880c61cc135c4417c1b9af26a665830f6038849351d0729713","next":"f57fb4c66ce338928f7a16a4795a859668e0f8968d6b52c6a24fc9c63b15fe9f","anchor":"007b5e6450b1d6b6661c24c61cb375ca63d60fe8a045da36a259803ccd328868","seeds":["","",""],"start_key":"889135e57c08dbec23b3984123647a7f2f5ded59c5254a8388e38c752a5969f5","locks":["b5a6c1823aa8a1bd33a8a08c9dc776bfe722c0a96b063f200db0e774f3369840","4202472b264e461cc40544701691dbdf4e3c8a3ce20e0ab7fe919fb4998ca0e3","0dec35b5969f6fd9ada96cafd915f16c40fcf65d121a06279b4676d82b81b4bc"]},"start_roll":[[3,4,6]]}}',NULL);
INSERT INTO "events" VALUES('id-08',41,1700001059.75,'paused','{"on":true,"by":"Dan"}',NULL);
INSERT INTO "events" VALUES('id-09',1,1700001060.0,'opened','{"options":{"rules":"common:dice=1","seats":[{"kind":"invited"},{"kind":"open"},{"kind":"invited"}],"private":true,"timer":null,"games":1,"rated":false,"pace":null,"calza_window":null,"absence":"ai","absence_seconds":null},"creator":"id-01"}','{"key":"_jyJn3UQlVPptDgOygCKXA"}');
INSERT INTO "events" VALUES('id-09',2,1700001060.0,'anchor','{"game":1,"anchor":"b0fa8647961312c04463dd3325946eda24f9697be7e404eecfe88d582a7cbebe"}','{"secret":"d82a2b52db01045269f7009bc51d9b7fec22d170ed75b602d08395e93b0352fc"}');
INSERT INTO "events" VALUES('id-09',3,1700001060.5,'seated','{"seat":1,"player":{"name":"Ada","kind":"person","id":"id-01","agent":null,"owner":"id-01"},"seed":"aa"}',NULL);
INSERT INTO "events" VALUES('id-10',1,1700001060.75,'opened','{"options":{"rules":"official:dice=2","seats":[{"kind":"open"},{"kind":"open"},{"kind":"open"}],"private":false,"timer":null,"games":1,"rated":false,"pace":null,"calza_window":null,"absence":"wait","absence_seconds":null},"creator":"id-01"}',NULL);
INSERT INTO "events" VALUES('id-10',2,1700001060.75,'anchor','{"game":1,"anchor":"0fc8633cdd595b67e99f9a76ff8b2676f97cda29347eb5a88a8fe79fe885a25e"}','{"secret":"c5dd5e3f4ed39cb2a79168c4df199409d21c7c5c953f99543e35e17c13bd2727"}');
INSERT INTO "events" VALUES('id-10',3,1700001061.5,'seated','{"seat":0,"player":{"name":"Ada","kind":"person","id":"id-01","agent":null,"owner":"id-01"},"seed":"00"}',NULL);
INSERT INTO "events" VALUES('id-10',4,1700001062.25,'seated','{"seat":1,"player":{"name":"Bob","kind":"person","id":"id-02","agent":null,"owner":"id-02"},"seed":"01"}',NULL);
INSERT INTO "events" VALUES('id-10',5,1700001063.0,'seated','{"seat":2,"player":{"name":"Cleo","kind":"person","id":"id-03","agent":null,"owner":"id-03"},"seed":"02"}',NULL);
INSERT INTO "events" VALUES('id-10',6,1700001063.0,'started','{"game":1,"first":true,"players":[{"name":"Ada","kind":"person","id":"id-01","agent":null},{"name":"Bob","kind":"person","id":"id-02","agent":null},{"name":"Cleo","kind":"person","id":"id-03","agent":null}],"header":{"record":1,"game":"perudo","rules":"official:dice=2","revision":1,"options":{"max_players":6,"dice":2,"single_round":false,"start_mode":"roll","start_roll_tie":"reroll_tied","raise_rule":"any_face","cap_bids_at_total":true,"wild":"ones","ace_rank":"above_double","ace_opening":"palafico_only","ace_exit_plus_one":true,"ace_exit_monotone":true,"dudo_starter":"loser","loss":"one","exact_bid_doubted":"challenger_loses","palafico":"automatic","palafico_face_change":"already_palafico","palafico_owner_may_change":false,"palafico_aces_wild":false,"nonwild_order":"lexicographic","two_player_palafico":"literal","calza":true,"calza_who":"any_but_bidder","calza_reward":"die","calza_success_starter":"caller","calza_failure_starter":"caller","calza_in_palafico":false,"calza_two_players":false,"calza_after_pass":false,"enable_pass":true,"consecutive_pass":false,"pass_on_opening":false,"pass_in_palafico":true},"players":["Ada","Bob","Cleo"],"start":{}},"seeds":["00","01","02"],"commit":"5c72f652788ce054b4815f528cc9f68072bcf193f29c01bc53612796828297b1"}',NULL);
INSERT INTO "events" VALUES('id-10',7,1700001063.0,'deal','{"record":{"n":1,"event":"deal","round":1,"opener":1,"dice":["24","33","16"],"fair":{"commit":"5c72f652788ce054b4815f528cc9f68072bcf193f29c01bc53612796828297b1","next":"bb4dc9310f3463257de3282ce55a8a2ec8dd0a7d2855be0b918b8065458f6f3d","anchor":"0fc8633cdd595b67e99f9a76ff8b2676f97cda29347eb5a88a8fe79fe885a25e","seeds":["00","01","02"],"start_key":"44899931f77f9141c0a6a9b213ee97cdb09b2793378205d5c079c68b12eefd5d","locks":["81d41357c3d31637c0f62edf6762752760361b7562f2fec0c17022ab61983f54","ad5d4e48a53374b2295d86dce1c2da55d8d6142e3d3b6a89760e9057e83f6797","3f036a7b674b16aa79fa3ea0d993cd64b87e1b02dc829d3bbef0dd8fa03964a1"]},"start_roll":[[3,5,1]]}}',NULL);
INSERT INTO "events" VALUES('id-10',8,1700001063.25,'act','{"record":{"n":2,"event":"act","seat":1,"action":"1x3"},"by":"player","move":"q7"}',NULL);
INSERT INTO "events" VALUES('id-10',9,1700001063.5,'answered','{"seat":0,"action":"decline","move":"m8"}',NULL);
INSERT INTO "events" VALUES('id-10',10,1700001063.5,'act','{"record":{"n":3,"event":"act","seat":0,"action":"decline"},"by":"window","move":null}',NULL);
INSERT INTO "events" VALUES('id-11',1,1700001063.75,'opened','{"options":{"rules":"official:dice=2","seats":[{"kind":"open"},{"kind":"open"},{"kind":"open"},{"kind":"open"}],"private":false,"timer":null,"games":1,"rated":false,"pace":null,"calza_window":null,"absence":"wait","absence_seconds":null},"creator":"id-01"}',NULL);
INSERT INTO "events" VALUES('id-11',2,1700001063.75,'anchor','{"game":1,"anchor":"a4416384e2ebb0d2c093cd6206255560b4b604d78e0475001fdbf13236b2af62"}','{"secret":"7068583bd21b6c030df02d7e38fc1620396e3a624acf7db103e85565c709e396"}');
INSERT INTO "events" VALUES('id-11',3,1700001064.5,'seated','{"seat":0,"player":{"name":"Ada","kind":"person","id":"id-01","agent":null,"owner":"id-01"},"seed":"00"}',NULL);
INSERT INTO "events" VALUES('id-11',4,1700001065.25,'seated','{"seat":1,"player":{"name":"Bob","kind":"person","id":"id-02","agent":null,"owner":"id-02"},"seed":"01"}',NULL);
INSERT INTO "events" VALUES('id-11',5,1700001066.0,'seated','{"seat":2,"player":{"name":"Cleo","kind":"person","id":"id-03","agent":null,"owner":"id-03"},"seed":"02"}',NULL);
INSERT INTO "events" VALUES('id-11',6,1700001066.75,'seated','{"seat":3,"player":{"name":"Dan","kind":"person","id":"id-04","agent":null,"owner":"id-04"},"seed":"03"}',NULL);
INSERT INTO "events" VALUES('id-11',7,1700001066.75,'started','{"game":1,"first":true,"players":[{"name":"Ada","kind":"person","id":"id-01","agent":null},{"name":"Bob","kind":"person","id":"id-02","agent":null},{"name":"Cleo","kind":"person","id":"id-03","agent":null},{"name":"Dan","kind":"person","id":"id-04","agent":null}],"sitting":[0,1,2,3],"header":{"record":1,"game":"perudo","rules":"official:dice=2","revision":1,"options":{"max_players":6,"dice":2,"single_round":false,"start_mode":"roll","start_roll_tie":"reroll_tied","raise_rule":"any_face","cap_bids_at_total":true,"wild":"ones","ace_rank":"above_double","ace_opening":"palafico_only","ace_exit_plus_one":true,"ace_exit_monotone":true,"dudo_starter":"loser","loss":"one","exact_bid_doubted":"challenger_loses","palafico":"automatic","palafico_face_change":"already_palafico","palafico_owner_may_change":false,"palafico_aces_wild":false,"nonwild_order":"lexicographic","two_player_palafico":"literal","calza":true,"calza_who":"any_but_bidder","calza_reward":"die","calza_success_starter":"caller","calza_failure_starter":"caller","calza_in_palafico":false,"calza_two_players":false,"calza_after_pass":false,"enable_pass":true,"consecutive_pass":false,"pass_on_opening":false,"pass_in_palafico":true},"players":["Ada","Bob","Cleo","Dan"],"start":{}},"seeds":["00","01","02","03"],"commit":"2080251a6959b7ebc836b549e04a60896f11fd3a09dbd5fe2c63ffecf8f53d4f"}',NULL);
INSERT INTO "events" VALUES('id-11',8,1700001066.75,'deal','{"record":{"n":1,"event":"deal","round":1,"opener":3,"dice":["11","66","34","36"],"fair":{"commit":"2080251a6959b7ebc836b549e04a60896f11fd3a09dbd5fe2c63ffecf8f53d4f","next":"a34cdf46cc269bfb4f0bc4d19384b01cc56d3a6ca8263bf8edeb4ce65a5581de","anchor":"a4416384e2ebb0d2c093cd6206255560b4b604d78e0475001fdbf13236b2af62","seeds":["00","01","02","03"],"start_key":"7245b95a77edb3067732497e246dea894c5b5e44593f32458d6022edabc4febe","locks":["95295d645db90be31a6a14ea21a51519ab7c405e0d1ba4bf5549a5556bf218a5","87d59c61ff37e7ec981ec45faff9e553c770463068680047f17be78b59610c66","fa9cd4a7bbeff2af0e69cd83ac2922e7fd219d7bcf7d54e555a5138835f10d03","b46ac5c600325cfa76d1d93214170a967accbbcc3cf405d6f03e7db53330b81b"]},"start_roll":[[3,5,5,5],[null,1,3,6]]}}',NULL);
INSERT INTO "events" VALUES('id-11',9,1700001067.0,'act','{"record":{"n":2,"event":"act","seat":3,"action":"2x3"},"by":"player","move":"q8"}',NULL);
INSERT INTO "events" VALUES('id-11',10,1700001067.25,'answered','{"seat":2,"action":"calza","move":"answer"}',NULL);
CREATE TABLE game_seats (
	game_id VARCHAR(48) NOT NULL, 
	seat INTEGER NOT NULL, 
	person VARCHAR(32), 
	agent VARCHAR(200), 
	name VARCHAR(64) NOT NULL, 
	place INTEGER NOT NULL, 
	"left" BOOLEAN NOT NULL, 
	dice_left INTEGER NOT NULL, 
	calls INTEGER NOT NULL, 
	right_calls INTEGER NOT NULL, 
	bids INTEGER NOT NULL, 
	bluffs INTEGER NOT NULL, 
	faces VARCHAR(64) NOT NULL, 
	rounds_lost INTEGER NOT NULL, 
	CONSTRAINT pk_game_seats PRIMARY KEY (game_id, seat), 
	CONSTRAINT fk_game_seats_game_id FOREIGN KEY(game_id) REFERENCES games (id)
);
INSERT INTO "game_seats" VALUES('id-06.1',0,'id-01',NULL,'Ada',1,0,1,1,1,1,1,'0,0,0,1,0,0',0);
INSERT INTO "game_seats" VALUES('id-06.1',1,'id-02',NULL,'Bob',2,0,0,0,0,2,2,'0,0,2,0,0,0',1);
INSERT INTO "game_seats" VALUES('id-07.1',0,'id-03',NULL,'Cleo',2,0,0,0,0,1,1,'1,0,0,0,0,0',1);
INSERT INTO "game_seats" VALUES('id-07.1',1,'id-04',NULL,'Dan',1,0,1,1,1,1,1,'0,0,1,0,0,0',0);
INSERT INTO "game_seats" VALUES('id-08.1',0,NULL,'observer','observer (A)',1,0,1,1,1,2,1,'1,0,0,0,0,1',0);
INSERT INTO "game_seats" VALUES('id-08.1',1,NULL,'l-dumb','l-dumb (B)',3,0,0,0,0,2,1,'1,0,1,0,0,0',1);
INSERT INTO "game_seats" VALUES('id-08.1',2,NULL,'probabilistic','probabilistic (C)',2,0,0,1,1,3,3,'1,0,1,1,0,0',1);
INSERT INTO "game_seats" VALUES('id-08.2',0,NULL,'l-dumb','l-dumb (B)',2,0,0,0,0,3,2,'1,1,0,1,0,0',1);
INSERT INTO "game_seats" VALUES('id-08.2',1,NULL,'probabilistic','probabilistic (C)',1,0,1,1,1,1,1,'0,0,0,0,0,1',0);
INSERT INTO "game_seats" VALUES('id-08.2',2,NULL,'observer','observer (A)',3,0,0,1,0,0,0,'0,0,0,0,0,0',1);
CREATE TABLE games (
	id VARCHAR(48) NOT NULL, 
	table_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	preset VARCHAR(24), 
	rules TEXT NOT NULL, 
	rated BOOLEAN NOT NULL, 
	private BOOLEAN NOT NULL, 
	started FLOAT NOT NULL, 
	ended FLOAT, 
	first_event INTEGER NOT NULL, 
	last_event INTEGER, 
	winner INTEGER, 
	CONSTRAINT pk_games PRIMARY KEY (id), 
	CONSTRAINT fk_games_table_id FOREIGN KEY(table_id) REFERENCES tables (id)
);
INSERT INTO "games" VALUES('id-05.1','id-05',1,NULL,'common:dice=2',0,0,1700001003.25,NULL,7,NULL,NULL);
INSERT INTO "games" VALUES('id-06.1','id-06',1,NULL,'common:dice=1',0,0,1700001041.25,1700001042.25,5,12,0);
INSERT INTO "games" VALUES('id-07.1','id-07',1,NULL,'uk:dice=1',0,0,1700001044.0,1700001044.75,5,11,1);
INSERT INTO "games" VALUES('id-08.1','id-08',1,NULL,'official:dice=1',0,0,1700001045.0,1700001054.5,6,24,0);
INSERT INTO "games" VALUES('id-06.2','id-06',2,NULL,'common:dice=1',0,0,1700001048.5,NULL,14,NULL,NULL);
INSERT INTO "games" VALUES('id-08.2','id-08',2,NULL,'official:dice=1',0,0,1700001054.5,1700001059.5,26,37,1);
INSERT INTO "games" VALUES('id-08.3','id-08',3,NULL,'official:dice=1',0,0,1700001059.5,NULL,39,NULL,NULL);
INSERT INTO "games" VALUES('id-10.1','id-10',1,NULL,'official:dice=2',0,0,1700001063.0,NULL,6,NULL,NULL);
INSERT INTO "games" VALUES('id-11.1','id-11',1,NULL,'official:dice=2',0,0,1700001066.75,NULL,7,NULL,NULL);
CREATE TABLE people (
	id VARCHAR(32) NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	name VARCHAR(32) NOT NULL, 
	name_key VARCHAR(32), 
	password TEXT, 
	owner VARCHAR(32), 
	filters TEXT, 
	banned BOOLEAN NOT NULL, 
	muted BOOLEAN NOT NULL, 
	created FLOAT NOT NULL, 
	seen FLOAT NOT NULL, 
	CONSTRAINT pk_people PRIMARY KEY (id), 
	CONSTRAINT uq_people_name_key UNIQUE (name_key)
);
INSERT INTO "people" VALUES('id-01','guest','Ada',NULL,NULL,NULL,NULL,0,0,1700001000.0,1700001000.0);
INSERT INTO "people" VALUES('id-02','guest','Bob',NULL,NULL,NULL,NULL,0,0,1700001000.0,1700001000.0);
INSERT INTO "people" VALUES('id-03','guest','Cleo',NULL,NULL,NULL,NULL,0,0,1700001000.0,1700001000.0);
INSERT INTO "people" VALUES('id-04','guest','Dan',NULL,NULL,NULL,NULL,0,0,1700001000.0,1700001000.0);
CREATE TABLE processes (
	id VARCHAR(32) NOT NULL, 
	since FLOAT NOT NULL, 
	expires FLOAT NOT NULL, 
	CONSTRAINT pk_processes PRIMARY KEY (id)
);
CREATE TABLE quotas (
	visitor VARCHAR(64) NOT NULL, 
	day INTEGER NOT NULL, 
	used INTEGER NOT NULL, 
	CONSTRAINT pk_quotas PRIMARY KEY (visitor, day)
);
INSERT INTO "quotas" VALUES('id-04',19675,5);
CREATE TABLE rating_changes (
	game_id VARCHAR(48) NOT NULL, 
	player VARCHAR(200) NOT NULL, 
	category VARCHAR(32) NOT NULL, 
	rating FLOAT NOT NULL, 
	deviation FLOAT NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_rating_changes PRIMARY KEY (game_id, player), 
	CONSTRAINT fk_rating_changes_game_id FOREIGN KEY(game_id) REFERENCES games (id)
);
CREATE TABLE ratings (
	player VARCHAR(200) NOT NULL, 
	category VARCHAR(32) NOT NULL, 
	rating FLOAT NOT NULL, 
	deviation FLOAT NOT NULL, 
	games INTEGER NOT NULL, 
	updated FLOAT NOT NULL, 
	CONSTRAINT pk_ratings PRIMARY KEY (player, category)
);
CREATE TABLE recovery_codes (
	code_hash VARCHAR(64) NOT NULL, 
	person VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_recovery_codes PRIMARY KEY (code_hash), 
	CONSTRAINT fk_recovery_codes_person FOREIGN KEY(person) REFERENCES people (id)
);
CREATE TABLE sessions (
	token_hash VARCHAR(64) NOT NULL, 
	person VARCHAR(32) NOT NULL, 
	label VARCHAR(64) NOT NULL, 
	created FLOAT NOT NULL, 
	expires FLOAT, 
	CONSTRAINT pk_sessions PRIMARY KEY (token_hash), 
	CONSTRAINT fk_sessions_person FOREIGN KEY(person) REFERENCES people (id)
);
INSERT INTO "sessions" VALUES('eb4155ed4d8a7c99af3cf92a017a6f76c7d728a709bb16f4405f11f1899ce86f','id-01','session',1700001000.0,1715553000.0);
INSERT INTO "sessions" VALUES('6357ae08458cfaa94c3adacf6b47f94bc5fc91d2a3c37be09676023ca8b505e9','id-02','session',1700001000.0,1715553000.0);
INSERT INTO "sessions" VALUES('516683709e39ff5735b8f7c931c4e7ecd20b25e3e54401fcce2849cfeab0fa21','id-03','session',1700001000.0,1715553000.0);
INSERT INTO "sessions" VALUES('4ac9b5c30c190b8dca8b2e27155a9fa2480875d5f38c07be608b15cbdccd568d','id-04','session',1700001000.0,1715553000.0);
CREATE TABLE tables (
	id VARCHAR(32) NOT NULL, 
	creator VARCHAR(32) NOT NULL, 
	status VARCHAR(8) NOT NULL, 
	private BOOLEAN NOT NULL, 
	summary TEXT NOT NULL, 
	created FLOAT NOT NULL, 
	updated FLOAT NOT NULL, owner VARCHAR(32), fence INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_tables PRIMARY KEY (id), 
	CONSTRAINT fk_tables_creator FOREIGN KEY(creator) REFERENCES people (id)
);
INSERT INTO "tables" VALUES('id-05','id-01','playing',0,'{"rules":"common:dice=2","rated":false,"timer":null,"games":2,"game":1,"seats":[{"kind":"open","player":{"name":"Ada","kind":"person","id":"id-01","agent":null}},{"kind":"open","player":{"name":"Bob","kind":"person","id":"id-02","agent":null}},{"kind":"open","player":{"name":"Cleo","kind":"person","id":"id-03","agent":null}},{"kind":"open","player":{"name":"Dan","kind":"person","id":"id-04","agent":null}}]}',1700001000.25,1700001035.75,NULL,0);
INSERT INTO "tables" VALUES('id-06','id-02','playing',0,'{"rules":"common:dice=1","rated":false,"timer":null,"games":3,"game":2,"seats":[{"kind":"open","player":{"name":"Ada","kind":"person","id":"id-01","agent":null}},{"kind":"open","player":{"name":"Bob","kind":"person","id":"id-02","agent":null}}]}',1700001039.75,1700001048.5,NULL,0);
INSERT INTO "tables" VALUES('id-07','id-03','finished',0,'{"rules":"uk:dice=1","rated":false,"timer":null,"games":1,"game":1,"seats":[{"kind":"open","player":{"name":"Cleo","kind":"person","id":"id-03","agent":null}},{"kind":"open","player":{"name":"Dan","kind":"person","id":"id-04","agent":null}}]}',1700001042.5,1700001044.75,NULL,0);
INSERT INTO "tables" VALUES('id-08','id-04','playing',0,'{"rules":"official:dice=1","rated":false,"timer":null,"games":5,"game":3,"seats":[{"kind":"ai","player":{"name":"probabilistic (C)","kind":"ai","id":null,"agent":"probabilistic"}},{"kind":"ai","player":{"name":"observer (A)","kind":"ai","id":null,"agent":"observer"}},{"kind":"ai","player":{"name":"l-dumb (B)","kind":"ai","id":null,"agent":"l-dumb"}}]}',1700001045.0,1700001059.75,NULL,0);
INSERT INTO "tables" VALUES('id-09','id-01','waiting',1,'{"rules":"common:dice=1","rated":false,"timer":null,"games":1,"game":0,"seats":[{"kind":"invited","player":null},{"kind":"open","player":{"name":"Ada","kind":"person","id":"id-01","agent":null}},{"kind":"invited","player":null}]}',1700001060.0,1700001060.5,NULL,0);
INSERT INTO "tables" VALUES('id-10','id-01','playing',0,'{"rules":"official:dice=2","rated":false,"timer":null,"games":1,"game":1,"seats":[{"kind":"open","player":{"name":"Ada","kind":"person","id":"id-01","agent":null}},{"kind":"open","player":{"name":"Bob","kind":"person","id":"id-02","agent":null}},{"kind":"open","player":{"name":"Cleo","kind":"person","id":"id-03","agent":null}}]}',1700001060.75,1700001063.0,NULL,0);
INSERT INTO "tables" VALUES('id-11','id-01','playing',0,'{"rules":"official:dice=2","rated":false,"timer":null,"games":1,"game":1,"seats":[{"kind":"open","player":{"name":"Ada","kind":"person","id":"id-01","agent":null}},{"kind":"open","player":{"name":"Bob","kind":"person","id":"id-02","agent":null}},{"kind":"open","player":{"name":"Cleo","kind":"person","id":"id-03","agent":null}},{"kind":"open","player":{"name":"Dan","kind":"person","id":"id-04","agent":null}}]}',1700001063.75,1700001066.75,NULL,0);
CREATE INDEX ix_people_owner ON people (owner);
CREATE INDEX ix_recovery_codes_person ON recovery_codes (person);
CREATE INDEX ix_sessions_person ON sessions (person);
CREATE INDEX ix_tables_creator ON tables (creator);
CREATE INDEX ix_tables_status ON tables (status);
CREATE INDEX ix_games_ended ON games (ended);
CREATE INDEX ix_games_table_id ON games (table_id);
CREATE INDEX ix_game_seats_agent ON game_seats (agent);
CREATE INDEX ix_game_seats_person ON game_seats (person);
CREATE INDEX ix_rating_changes_player ON rating_changes (player, category);
COMMIT;
