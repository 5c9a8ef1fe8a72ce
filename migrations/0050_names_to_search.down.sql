drop index customer_folded_name;
drop index enterprise_folded_name;
