import { defineAreaWords } from './define-words.ts';
import { spaceWords } from './space-words.ts';

/** The words of the kit, which every page shows. */
export const kitWords = defineAreaWords({
  tryAgain: ['Try again', '重试'],
  copied: ['Copied', '已复制'],
  copyNamed: [(what: string) => `Copy ${what}`, (what) => spaceWords(`复制${what}`)],
  copyFailed: [
    'The browser blocked copying. Select the text and copy it yourself.',
    '浏览器阻止了复制，请选中内容后手动复制。',
  ],
  utc: ['UTC', 'UTC'],
  firstPage: ['First page', '首页'],
  previousPage: ['Previous page', '上一页'],
  nextPage: ['Next page', '下一页'],
  pages: ['Pages', '分页'],
  lastPage: ['End of list', '已是最后一页'],
  rowsShown: [(count: string) => `${count} shown`, (count) => `本页 ${count} 条`],
  exportCsv: ['Export CSV', '导出 CSV'],
  exporting: [(kilobytes: string) => `Exporting: ${kilobytes} kB`, (kilobytes) => `正在导出：${kilobytes} kB`],
  exportFailed: ['Export failed', '导出失败'],
  incomplete: ['Export incomplete', '导出未完成'],
  incompleteAdvice: [
    'The connection broke before the last entry, so no file was saved. Try again, or narrow the filters.',
    '连接在传完全部数据前中断，文件未保存。请重试，或缩小筛选范围。',
  ],
  apply: ['Apply', '筛选'],
  clearFilters: ['Clear filters', '清除筛选'],
  filters: ['Filters', '筛选条件'],
  any: ['Any', '不限'],
  breadcrumbs: ['Breadcrumbs', '面包屑导航'],
  failed: ['Request refused', '请求被拒绝'],
  refusedAdvice: ['Correct what the message names, then try again.', '请根据提示修改后重试。'],
  unreachable: ['Can’t reach the service', '无法连接服务'],
  unreachableAdvice: [
    'Check your connection. If it works, the service is down: check whether the API process is running.',
    '请检查网络连接。如果网络正常，则服务已停止，请检查 API 进程是否在运行。',
  ],
  faulty: ['Service error', '服务异常'],
  faultyAdvice: [
    'Try again in a moment. If the error persists, search the service’s log for the request ID.',
    '请稍后重试。如果问题仍然存在，请在服务日志中搜索该请求 ID。',
  ],
  forbidden: ['You don’t have permission', '没有权限'],
  forbiddenAdvice: ['Ask an operator with the admin role.', '请联系系统管理员。'],
  roleNeeded: [
    (least: string, own: string) => `This requires the role ${least}. Your role is ${own}.`,
    (least, own) => `此操作需要角色“${least}”，您的角色是“${own}”。`,
  ],
  missing: ['Not found', '未找到'],
  missingAdvice: ['Check the address, or use the search.', '请检查地址，或使用搜索。'],
  nothingSoFar: ['No matches so far', '暂无匹配结果'],
  nothingSoFarAdvice: [
    'Only part of the entries were searched. Go to the next page to search the rest.',
    '目前仅搜索了部分数据，翻到下一页可继续搜索。',
  ],
  nothingFiltered: ['No matches', '没有匹配结果'],
  nothingFilteredAdvice: ['Clear a filter, or widen the time range.', '请清除部分筛选条件，或放宽时间范围。'],
  shownOnce: [
    'This is shown only once. Save it somewhere safe before you close this dialog.',
    '仅显示一次，请妥善保存后再关闭此窗口。',
  ],
  saved: ['I’ve saved it', '我已保存'],
  pageBroken: ['Something went wrong', '页面出错了'],
  pageBrokenAdvice: [
    'The console failed to show this page. Reload it. If the error persists, report this:',
    '控制台无法显示此页面，请重新加载。如果问题仍然存在，请反馈以下信息：',
  ],
  reload: ['Reload page', '重新加载'],
});
