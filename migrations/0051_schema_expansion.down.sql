drop table schema_expansion;
