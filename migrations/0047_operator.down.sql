drop table operator_record, operator_login_failure, operator_session, operator;
