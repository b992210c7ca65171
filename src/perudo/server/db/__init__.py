"""The database: schema, migrations, backups and retention."""
