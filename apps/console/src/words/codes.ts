import { defineWords } from './define-words.ts';

/** Names for codes of the interface: order types, batch modes and operator roles. */
export const codeNames = defineWords({
  new_buy: ['Purchase', '购买'],
  delete_asset: ['Revoke assets', '撤销资产'],
  delete_product: ['Revoke products', '撤销产品'],
  async: ['Responds on acceptance', '异步，受理后返回'],
  sync: ['Responds when applied', '同步，执行完成后返回'],
  viewer: ['viewer', '只读'],
  support: ['support', '技术支持'],
  admin: ['admin', '系统管理员'],
});

/** The states of batches, orders, assets, webhooks, applications and channels. */
export const stateWords = defineWords({
  accepted: ['Accepted', '已受理'],
  processing: ['Processing', '处理中'],
  completed: ['Completed', '已完成'],
  pending: ['Pending', '待处理'],
  held: ['Held', '挂起'],
  succeeded: ['Succeeded', '成功'],
  failed: ['Failed', '失败'],
  cancelled: ['Cancelled', '已取消'],
  active: ['Active', '有效'],
  revoked: ['Revoked', '已撤销'],
  enabled: ['Enabled', '已启用'],
  disabled: ['Disabled', '已停用'],
  failing: ['Failing', '投递失败'],
  unsent: ['Pending', '待发送'],
  delivered: ['Delivered', '已投递'],
  unapproved: ['Pending', '待批准'],
  approved: ['Approved', '已批准'],
  suspended: ['Suspended', '已停用'],
  current: ['Up to date', '正常'],
  holding: ['Has held orders', '有挂起订单'],
  behind: ['Behind', '滞后'],
  paused: ['Paused', '已暂停'],
});

/** A state that a page can show. */
export type KnownState = keyof typeof stateWords;
