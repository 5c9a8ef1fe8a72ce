import { defineAreaWords, spaceWords } from '../words/define-words.ts';

/** The words of the frame around every page. */
export const shellWords = defineAreaWords({
  product: ['Lockstep', 'Lockstep'],
  skip: ['Skip to content', '跳到正文'],
  navigation: ['Main', '主导航'],
  menu: ['Menu', '菜单'],
  search: ['Search by ID, number or name', '搜索 ID、编号或名称'],
  searchButton: ['Search', '搜索'],
  language: ['Language', '语言'],
  colors: ['Theme', '主题'],
  auto: ['System', '跟随系统'],
  light: ['Light', '浅色'],
  dark: ['Dark', '深色'],
  loggedInAs: [(name: string, role: string) => `${name} · ${role}`, (name, role) => `${name} · ${role}`],
  account: ['Your account', '我的账号'],
  ownPassword: ['Change password', '修改密码'],
  logOut: ['Log out', '退出登录'],
  shortcuts: ['Keyboard shortcuts', '键盘快捷键'],
  shortcutHelp: ['Show keyboard shortcuts', '显示键盘快捷键'],
  shortcutRows: ['Previous or next row of a list', '移到列表的上一行或下一行'],
  shortcutGoTo: [(area: string) => `Go to ${area}`, (area) => spaceWords(`前往${area}`)],
  operate: ['Operate', '运行'],
  find: ['Find', '查找'],
  integrate: ['Integrate', '集成'],
  administer: ['Administer', '管理'],
  docs: ['API documentation', 'API 文档'],
});
