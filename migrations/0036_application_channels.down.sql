alter table application drop column channels;
