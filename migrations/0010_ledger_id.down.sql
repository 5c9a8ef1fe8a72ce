drop sequence ledger_id;
