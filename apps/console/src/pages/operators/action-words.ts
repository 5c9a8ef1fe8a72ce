import { useCallback } from 'react';
import { defineWords, useWords } from '../../words/words.ts';

/** What operators do, by the stable words of the record. */
const actionWords = defineWords({
  en: {
    'application.created': 'registered an application',
    'application.approved': 'approved an application',
    'application.suspended': 'suspended an application',
    'application.secret_rotated': 'rotated a secret',
    'application.tokens_revoked': 'revoked tokens',
    'application.channels_bound': 'changed channels',
    'webhook.enabled': 'enabled a webhook',
    'webhook.replayed': 'sent events again',
    'webhook.tested': 'tested a webhook',
    'batch.cancel_asked': 'asked to cancel a batch',
    'batch.cancelled': 'cancelled a batch',
    'batch.resend_asked': 'asked to send failed orders again',
    'batch.resent': 'sent failed orders again',
    'batch.made': 'made a batch of failed orders',
    'order.failed': 'ended a pending order as failed',
    'order.retried': 'put a failed order back as pending',
    'channel.paused': 'paused a channel',
    'channel.resumed': 'resumed a channel',
    'employee.password_reset': 'gave an employee a new password',
    'administrator.created': 'made an administrator',
    'administrator.password_reset': 'gave an administrator a new password',
    'operator.created': 'made an operator',
    'operator.role_changed': 'changed a role',
    'operator.disabled': 'disabled an operator',
    'operator.enabled': 'enabled an operator',
    'operator.password_reset': 'gave a new password',
    'operator.password_changed': 'changed their password',
    'database.backup_begun': 'began a backup of the database',
    'database.restored': 'restored the database from a backup',
    'database.ids_skipped': 'moved ids on after a restore',
    'operator.logged_in': 'logged in',
    'operator.logged_out': 'logged out',
    'operator.log_in_failed': 'failed to log in as',
    'operator.locked_out': 'locked by failed log-ins',
  },
  zh: {
    'application.created': '注册应用',
    'application.approved': '批准应用',
    'application.suspended': '暂停应用',
    'application.secret_rotated': '更换密钥',
    'application.tokens_revoked': '吊销令牌',
    'application.channels_bound': '修改渠道',
    'webhook.enabled': '启用 Webhook',
    'webhook.replayed': '重新发送事件',
    'webhook.tested': '测试 Webhook',
    'batch.cancel_asked': '请求取消批次',
    'batch.cancelled': '取消批次',
    'batch.resend_asked': '请求重新发送失败订单',
    'batch.resent': '重新发送失败订单',
    'batch.made': '由失败订单生成批次',
    'order.failed': '将待处理订单置为失败',
    'order.retried': '将失败订单恢复为待处理',
    'channel.paused': '暂停渠道',
    'channel.resumed': '恢复渠道',
    'employee.password_reset': '重置员工密码',
    'administrator.created': '创建企业管理员',
    'administrator.password_reset': '重置企业管理员的密码',
    'operator.created': '创建操作员',
    'operator.role_changed': '修改角色',
    'operator.disabled': '停用操作员',
    'operator.enabled': '启用操作员',
    'operator.password_reset': '重置密码',
    'operator.password_changed': '修改自己的密码',
    'database.backup_begun': '开始备份数据库',
    'database.restored': '从备份恢复数据库',
    'database.ids_skipped': '恢复后跳过编号',
    'operator.logged_in': '登录',
    'operator.logged_out': '退出登录',
    'operator.log_in_failed': '登录失败',
    'operator.locked_out': '多次登录失败，导致锁定',
  },
});

/** The actions that the record can be filtered by. */
export const ACTIONS = Object.keys(actionWords.en) as (keyof typeof actionWords.en)[];

/** Says what an action is; one of an earlier or a later release is its stable word. */
export function useActionWords(): (action: string) => string {
  const words: Record<string, string> = useWords(actionWords);
  return useCallback((action) => words[action] ?? action, [words]);
}
