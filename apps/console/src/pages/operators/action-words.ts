import { defineWords } from '../../words/define-words.ts';

/** The actions of the audit log, by their codes. */
export const actionWords = defineWords({
  'application.created': ['Registered an application', '注册应用'],
  'application.approved': ['Approved an application', '批准应用'],
  'application.suspended': ['Suspended an application', '停用应用'],
  'application.secret_rotated': ['Rotated a secret', '轮换密钥'],
  'application.tokens_revoked': ['Revoked tokens', '吊销令牌'],
  'application.channels_bound': ['Changed channels', '修改渠道'],
  'webhook.enabled': ['Enabled a webhook', '启用 Webhook'],
  'webhook.replayed': ['Replayed events', '重放事件'],
  'webhook.tested': ['Tested a webhook', '测试 Webhook'],
  'batch.cancel_asked': ['Requested to cancel a batch', '请求取消批次'],
  'batch.cancelled': ['Cancelled a batch', '取消批次'],
  'batch.resend_asked': ['Requested to resend failed orders', '请求重发失败订单'],
  'batch.resent': ['Resent failed orders', '重发失败订单'],
  'batch.made': ['Created a batch from failed orders', '用失败订单创建批次'],
  'order.failed': ['Marked a pending order as failed', '将待处理订单标记为失败'],
  'order.retried': ['Retried a failed order', '重试失败订单'],
  'channel.paused': ['Paused a channel', '暂停渠道'],
  'channel.resumed': ['Resumed a channel', '恢复渠道'],
  'employee.password_reset': ['Reset an employee’s password', '重置员工密码'],
  'administrator.created': ['Created an administrator', '创建企业管理员'],
  'enterprise.mobile_set': ['Set an enterprise’s security mobile number', '设置企业安全手机号'],
  'administrator.password_reset': ['Reset an administrator’s password', '重置企业管理员密码'],
  'operator.created': ['Created an operator', '创建操作员'],
  'operator.role_changed': ['Changed a role', '修改角色'],
  'operator.disabled': ['Disabled an operator', '停用操作员'],
  'operator.enabled': ['Enabled an operator', '启用操作员'],
  'operator.password_reset': ['Reset an operator’s password', '重置操作员密码'],
  'operator.password_changed': ['Changed their own password', '修改自己的密码'],
  'database.backup_begun': ['Started a database backup', '开始备份数据库'],
  'database.restored': ['Restored the database from a backup', '从备份恢复数据库'],
  'database.ids_skipped': ['Skipped IDs after a restore', '恢复后跳过 ID'],
  'operator.logged_in': ['Logged in', '登录'],
  'operator.logged_out': ['Logged out', '退出登录'],
  'operator.log_in_failed': ['Failed to log in', '登录失败'],
  'operator.locked_out': ['Locked out after failed logins', '因登录失败被锁定'],
});

/** The actions that the audit log can be filtered by. */
export const ACTIONS = Object.keys(actionWords.en) as (keyof typeof actionWords.en)[];
