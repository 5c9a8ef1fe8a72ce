-- What the migrations made, as PostgreSQL defines it: a row for each column, constraint, unique index, trigger and
-- function. Kept by the migrator from here on. What is found otherwise later was changed by somebody else, and a fault
-- that it causes is no order's fault.
create table schema_definition (
  name text primary key,
  definition text not null
);
