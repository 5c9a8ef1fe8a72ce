import { defineWords } from '../../words/define-words.ts';

/** The names of license types. */
export const licenseTypeWords = defineWords({
  en: {
    normal_unrecover_usbkey: 'Lock, not refillable',
    normal_recover_usbkey: 'Lock, refillable',
    normal_unrecover_lan_usbkey: 'Network lock, not refillable',
    normal_recover_lan_usbkey: 'Network lock, refillable',
    identity_usbkey: 'Identity lock',
    identity_lan_usbkey: 'Network identity lock',
    softkey: 'Soft key',
    lan_softkey: 'Network soft key',
    product_entity: 'Physical product',
    cloud_account: 'Cloud account',
    cloud_customer: 'Enterprise cloud license',
    cloud_personal: 'Personal cloud license',
    lk_product_usbkey: 'Product lock',
    lk_auth_usbkey: 'Login lock',
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
    cloud_account: '云账号',
    cloud_customer: '企业云授权',
    cloud_personal: '个人云授权',
    lk_product_usbkey: '产品锁',
    lk_auth_usbkey: '登录锁',
  },
});
