alter table enterprise drop column created_by_application_id;
