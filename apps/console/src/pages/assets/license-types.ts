import { defineWords } from '../../words/define-words.ts';

/** What the license types are called. */
export const licenseTypeWords = defineWords({
  en: {
    normal_unrecover_usbkey: 'lock, not re-fillable',
    normal_recover_usbkey: 'lock, re-fillable',
    normal_unrecover_lan_usbkey: 'network lock, not re-fillable',
    normal_recover_lan_usbkey: 'network lock, re-fillable',
    identity_usbkey: 'identity lock',
    identity_lan_usbkey: 'network identity lock',
    softkey: 'soft key',
    lan_softkey: 'network soft key',
    product_entity: 'boxed product',
    cloud_account: 'cloud license of an account',
    cloud_customer: 'cloud license of a customer',
    cloud_personal: 'personal cloud license',
    lk_product_usbkey: 'large customer: product lock',
    lk_auth_usbkey: 'large customer: authorization lock',
  },
  zh: {
    normal_unrecover_usbkey: '不可充值锁',
    normal_recover_usbkey: '可充值锁',
    normal_unrecover_lan_usbkey: '不可充值网络锁',
    normal_recover_lan_usbkey: '可充值网络锁',
    identity_usbkey: '身份锁',
    identity_lan_usbkey: '网络身份锁',
    softkey: '软锁',
    lan_softkey: '网络软锁',
    product_entity: '实物产品',
    cloud_account: '云账号授权',
    cloud_customer: '云企业授权',
    cloud_personal: '云个人授权',
    lk_product_usbkey: '大客户产品锁',
    lk_auth_usbkey: '大客户授权锁',
  },
});
