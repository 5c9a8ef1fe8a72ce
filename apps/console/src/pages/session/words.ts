import { defineAreaWords } from '../../words/define-words.ts';

/** The words of the login page and of the page that changes the operator's own password. */
export const sessionWords = defineAreaWords({
  logIn: ['Log in', '登录'],
  logInByProvider: [(provider: string) => `Log in with ${provider}`, (provider) => `通过 ${provider} 登录`],
  product: ['Lockstep console', 'Lockstep 控制台'],
  name: ['Name', '用户名'],
  showPassword: ['Show or hide password', '显示或隐藏密码'],
  hint: [
    'For the demo, open the link that npm start prints, or use operatorName and operatorPassword from demo.json in DATA_DIR (default: .lockstep). Otherwise, ask an admin for an account. To create the first one, run lockstep operator create NAME --role admin.',
    '演示环境：请打开 npm start 输出的链接，或使用 DATA_DIR（默认为 .lockstep）中 demo.json 里的 operatorName 和 operatorPassword。其他环境：请联系系统管理员创建账号；首个账号用 lockstep operator create NAME 创建。',
  ],
  linkHint: ['This link logs you in once.', '此链接仅可用于登录一次。'],
  loggedOut: ['You are logged out.', '您已退出登录。'],
  logInFailed: ['Login failed', '登录失败'],
  ownPassword: ['Your password', '修改密码'],
  ownPasswordLead: [
    'A new password ends your sessions in other browsers. This session continues.',
    '修改密码后，您在其他浏览器中的会话将结束，当前会话不受影响。',
  ],
  present: ['Current password', '当前密码'],
  next: ['New password', '新密码'],
  nextAgain: ['Confirm new password', '确认新密码'],
  nextRule: [(min: string, max: string) => `${min} to ${max} characters`, (min, max) => `${min} 至 ${max} 个字符`],
  differs: ['The new passwords don’t match.', '两次输入的新密码不一致。'],
  tooShort: [(min: string) => `Use at least ${min} characters.`, (min) => `至少需要 ${min} 个字符。`],
  change: ['Change password', '修改密码'],
  changed: ['Password changed.', '密码已修改。'],
});
