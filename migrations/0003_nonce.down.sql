drop table nonce;
