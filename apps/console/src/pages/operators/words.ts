import { defineAreaWords, defineWords } from '../../words/define-words.ts';

/** The words of operators. */
export const operatorsWords = defineAreaWords({
  intro: ['People who can log in to this console, and their roles.', '可以登录此控制台的人员及其角色。'],
  nameHint: [
    'Lowercase letters and digits, with . _ - in between. The name can’t be changed later.',
    '小写字母和数字，中间可用 . _ -，创建后不能修改。',
  ],
  role: ['Role', '角色'],
  viewerSays: ['can read everything except operators and the audit log', '可查看除操作员和审计日志以外的全部内容'],
  supportSays: [
    'can also cancel batches, fix and resend orders, mark orders as failed, pause channels, manage webhooks, set administrators’ passwords, and read the audit log',
    '还可取消批次、修正并重发订单、将订单标记为失败、暂停渠道、管理 Webhook、设置企业管理员的密码，并查看审计日志',
  ],
  adminSays: [
    'can also manage applications, their secrets and channels, and operators',
    '还可管理应用及其密钥和渠道，以及操作员',
  ],
  disabledSince: ['Disabled since', '停用时间'],
  sessions: ['Sessions', '会话数'],
  lastUsed: ['Last active', '最近活动'],
  notLoggedIn: ['Not logged in', '未登录'],
  you: ['you', '您'],
  newTitle: ['New operator', '新建操作员'],
  create: ['Create operator', '创建操作员'],
  created: [(name: string) => `${name} can log in.`, (name) => `操作员 ${name} 已可登录。`],
  passwordOnce: [
    'Hand over the password securely now. It can’t be shown again. Ask the operator to change it after the first login.',
    '请立即将密码安全地交给操作员，之后无法再次查看。请提醒操作员首次登录后修改密码。',
  ],
  changeRole: ['Change role', '修改角色'],
  changeRoleTitle: [(name: string) => `Change the role of ${name}`, (name) => `修改 ${name} 的角色`],
  changeRoleSays: [
    'Takes effect with the next call, even in open sessions.',
    '从下一次请求起生效，对已登录的会话同样有效。',
  ],
  changeRoleDone: [(name: string) => `Role of ${name} changed.`, (name) => `${name} 的角色已修改。`],
  disable: ['Disable', '停用'],
  disableTitle: [(name: string) => `Disable ${name}?`, (name) => `停用 ${name}？`],
  disableSays: [
    (name: string) => `All sessions of ${name} end immediately, and ${name} can no longer log in.`,
    (name) => `${name} 的全部会话立即结束，且无法再登录。`,
  ],
  disableDone: [(name: string) => `${name} disabled.`, (name) => `${name} 已停用。`],
  enableTitle: [(name: string) => `Enable ${name}?`, (name) => `启用 ${name}？`],
  enableSays: [
    (name: string) => `${name} can log in again with the same password as before.`,
    (name) => `${name} 可以用原密码重新登录。`,
  ],
  enableDone: [(name: string) => `${name} enabled.`, (name) => `${name} 已启用。`],
  resetPassword: ['Reset password', '重置密码'],
  resetPasswordTitle: [(name: string) => `Reset the password of ${name}?`, (name) => `重置 ${name} 的密码？`],
  resetPasswordSays: [
    (name: string) =>
      `All sessions of ${name} end, and the current password stops working. The new password is shown only once.`,
    (name) => `${name} 的全部会话将结束，当前密码失效。新密码仅显示一次。`,
  ],
  resetPasswordDone: [(name: string) => `Password of ${name} reset.`, (name) => `${name} 的密码已重置。`],
  nameInvalid: [
    'Use 1 to 63 lowercase letters and digits, with . _ - in between.',
    '请使用 1 至 63 个小写字母和数字，中间可用 . _ -。',
  ],
  missing: [(name: string) => `There is no operator ${name}`, (name) => `操作员 ${name} 不存在`],
  missingHelp: ['Check the list of operators.', '请在操作员列表中核对。'],
  changesBy: ['Changes by this operator', '该操作员所做的变更'],
  changesTo: ['Changes to this operator', '对该操作员的变更'],
});

/** The words of the audit log. */
export const auditWords = defineAreaWords({
  intro: [
    'Changes by operators and the lockstep command, and logins and logouts, newest first. Entries can’t be altered and never contain passwords or secrets. The log keeps every lockout, but only the first failed login per name and address within 15 minutes.',
    '操作员和 lockstep 命令所做的变更，以及登录和退出，按时间倒序排列。记录不可篡改，不含密码和密钥。同一用户名、同一地址的登录失败，15 分钟内只记录第一次；锁定每次都会记录。',
  ],
  commandOf: [(user: string) => `${user} (lockstep command)`, (user) => `${user}（命令行）`],
  notLoggedIn: [(address: string) => `not logged in, from ${address}`, (address) => `未登录，来自 ${address}`],
  operator: ['Operator', '操作员'],
  action: ['Action', '操作'],
  target: ['Target', '对象'],
  webhook: [(id: string) => `webhook ${id}`, (id) => `Webhook ${id}`],
  targetExample: ['Key, ID or name', 'App Key、ID 或名称'],
  changed: ['Changes', '变更内容'],
  none: ['No entries yet', '暂无记录'],
  noneHelp: [
    'Every change that an operator makes is recorded here, with who made it and when.',
    '操作员所做的每项变更都会记录在这里，包括操作者和时间。',
  ],
  nothingBefore: ['none', '无'],
  difference: ['difference from the failed orders', '与失败订单的差异'],
  noDifference: ['none: resent unchanged', '无，原样重发'],
  leftOut: [
    (count: number) => (count === 1 ? '1 failed order left out' : `${count} failed orders left out`),
    (count) => `未重发 ${count} 个失败订单`,
  ],
  added: [
    (count: number) => (count === 1 ? '1 order added' : `${count} orders added`),
    (count) => `新增 ${count} 个订单`,
  ],
  inOrder: [
    (sequence: number, field: string) => `sequence ${sequence}, ${field}`,
    (sequence, field) => `序号 ${sequence}，${field}`,
  ],
  moreChanges: [
    (count: number) => (count === 1 ? 'and 1 more change' : `and ${count} more changes`),
    (count) => `另有 ${count} 处变更`,
  ],
});

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
  'customer.contact_erased': ['Erased a customer’s contact', '删除客户联系信息'],
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
  'operator.link_created': ['Created a login link', '创建登录链接'],
  'operator.logged_in': ['Logged in', '登录'],
  'operator.logged_out': ['Logged out', '退出登录'],
  'operator.log_in_failed': ['Failed to log in', '登录失败'],
  'operator.locked_out': ['Locked out after failed logins', '因登录失败被锁定'],
});
