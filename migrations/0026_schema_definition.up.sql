-- What the migrations made, as PostgreSQL defines it: a row for each column, constraint, unique index, trigger and
-- function. The migrator writes it from here on. Somebody else changed what is different later, and what fails because
-- of that is no order's fault.
create table schema_definition (
  name text primary key,
  definition text not null
);
