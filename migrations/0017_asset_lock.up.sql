-- Physical locks can be disabled (O6, O7). Certificates can be frozen, which no operation does yet.
alter table asset
  add column locked boolean not null default false,
  add column freezing boolean not null default false,
  add constraint asset_license_type check (license_type in (
    'normal_unrecover_usbkey', 'normal_recover_usbkey', 'normal_unrecover_lan_usbkey', 'normal_recover_lan_usbkey',
    'identity_usbkey', 'identity_lan_usbkey', 'softkey', 'lan_softkey', 'product_entity', 'cloud_account',
    'cloud_customer', 'cloud_personal', 'lk_product_usbkey', 'lk_auth_usbkey'
  )),
  add constraint asset_lockable check (not locked or license_type in (
    'normal_recover_usbkey', 'normal_recover_lan_usbkey', 'lk_product_usbkey', 'lk_auth_usbkey'
  )),
  add constraint asset_freezable check (not freezing or license_type in ('softkey', 'lan_softkey'));
