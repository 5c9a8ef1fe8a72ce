drop table schema_definition;
