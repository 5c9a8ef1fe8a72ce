import { defineWords } from '../../words/define-words.ts';

/** The names of license types. */
export const licenseTypeWords = defineWords({
  normal_unrecover_usbkey: ['Lock, not refillable', '不可充值锁'],
  normal_recover_usbkey: ['Lock, refillable', '可充值锁'],
  normal_unrecover_lan_usbkey: ['Network lock, not refillable', '不可充值网络锁'],
  normal_recover_lan_usbkey: ['Network lock, refillable', '可充值网络锁'],
  identity_usbkey: ['Identity lock', '身份锁'],
  identity_lan_usbkey: ['Network identity lock', '网络身份锁'],
  softkey: ['Soft key', '软锁'],
  lan_softkey: ['Network soft key', '网络软锁'],
  product_entity: ['Physical product', '实物产品'],
  cloud_account: ['Cloud account', '云账号'],
  cloud_customer: ['Enterprise cloud license', '企业云授权'],
  cloud_personal: ['Personal cloud license', '个人云授权'],
  lk_product_usbkey: ['Product lock', '产品锁'],
  lk_auth_usbkey: ['Login lock', '登录锁'],
});
