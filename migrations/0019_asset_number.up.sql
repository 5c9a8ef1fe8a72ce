-- How many asset numbers of each region have been handed out (O9): the last was first_digit followed by this count,
-- in nine digits. It is a row and not a sequence, so that a call that asks for more numbers than are left takes none.
create table asset_number (
  first_digit smallint primary key check (first_digit in (6, 8)),
  handed_out integer not null check (handed_out between 0 and 999999999)
);
insert into asset_number (first_digit, handed_out) values (6, 0), (8, 0);
