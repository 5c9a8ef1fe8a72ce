import { defineAreaWords } from '../../words/define-words.ts';

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
  roleChanged: [(name: string) => `Role of ${name} changed.`, (name) => `${name} 的角色已修改。`],
  disable: ['Disable', '停用'],
  disableTitle: [(name: string) => `Disable ${name}?`, (name) => `停用 ${name}？`],
  disableSays: [
    (name: string) => `All sessions of ${name} end immediately, and ${name} can no longer log in.`,
    (name) => `${name} 的全部会话立即结束，且无法再登录。`,
  ],
  disabledNow: [(name: string) => `${name} disabled.`, (name) => `${name} 已停用。`],
  enableTitle: [(name: string) => `Enable ${name}?`, (name) => `启用 ${name}？`],
  enableSays: [
    (name: string) => `${name} can log in again with the same password as before.`,
    (name) => `${name} 可以用原密码重新登录。`,
  ],
  enabledNow: [(name: string) => `${name} enabled.`, (name) => `${name} 已启用。`],
  resetPassword: ['Reset password', '重置密码'],
  resetTitle: [(name: string) => `Reset the password of ${name}?`, (name) => `重置 ${name} 的密码？`],
  resetSays: [
    (name: string) =>
      `All sessions of ${name} end, and the current password stops working. The new password is shown only once.`,
    (name) => `${name} 的全部会话将结束，当前密码失效。新密码仅显示一次。`,
  ],
  resetNow: [(name: string) => `Password of ${name} reset.`, (name) => `${name} 的密码已重置。`],
  nameInvalid: [
    'Use 1 to 63 lowercase letters and digits, with . _ - in between.',
    '请使用 1 至 63 个小写字母和数字，中间可用 . _ -。',
  ],
  missing: [(name: string) => `There is no operator ${name}`, (name) => `操作员 ${name} 不存在`],
  missingHelp: ['Check the list of operators.', '请在操作员列表中核对。'],
  changesBy: ['Changes by this operator', '该操作员所做的变更'],
  changesTo: ['Changes to this operator', '对该操作员的变更'],
});
