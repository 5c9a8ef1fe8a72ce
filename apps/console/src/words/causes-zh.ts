import type { ConsoleCause, ConsoleOrder } from '@lockstep/contract/console';
import type { ORDER_CAUSES } from './codes.ts';

type Cause = NonNullable<ConsoleOrder['cause']>;

/**
 * The messages of causes in Chinese: those of the console, of orders, and others that operators see. Placeholders are
 * those of the English message. Each message must read well without its values: see `fillIn`.
 */
export const causesInChinese: Readonly<
  Record<ConsoleCause | (typeof ORDER_CAUSES)[number], string> & Partial<Record<Cause, string>>
> = {
  not_logged_in: '您尚未登录或会话已失效，请重新登录。',
  login_failed: '用户名或密码错误，或者账号已停用或被锁定。登录失败 10 次，账号将锁定 5 分钟。',
  log_in_link_invalid: '登录链接已使用或已过期。请用密码登录，或重新运行 npm start 获取新链接。',
  password_wrong: '当前密码不正确。',
  role_missing: '您的角色“{1}”权限不足，此操作需要更高的角色“{0}”。',
  request_forged: '请求并非由此控制台发出。',
  not_found: '找不到{0} {1}。',
  changed_meanwhile: '页面加载后，数据已发生变更（{0}）。请重新加载页面。',
  name_taken: '操作员 {0} 已存在，请换一个名称。',
  batch_not_completed: '批次 {0} 尚未完成，待处理的订单（{1} 个）仍可能失败。请等待批次完成，或取消这些订单。',
  nothing_failed: '批次 {0} 没有失败订单。',
  too_large_to_edit:
    '失败订单的大小（{0} 字节）超过在此编辑的上限（{1} 字节）。请改用 lockstep batch failed 和 lockstep batch retry --file。',
  last_admin: '不能停用最后一个有效的系统管理员，也不能降低其角色。',

  json_malformed: '内容不是有效的 JSON（UTF-8 编码）：{0}。',
  json_too_deep: 'JSON 嵌套层数超过上限（{0} 层）。',
  body_too_large: '内容大小超过上限（{0} 字节）。请拆分后分多次提交。',
  field_missing: '缺少必填字段 {0}{1}。',
  field_invalid: '字段 {0} 的值无效：{1}。',
  field_misspelled: '未知字段 {0}，可能拼错了 {2}{1}。',
  field_repeated: '{0}：重复出现{1}。',
  date_not_milliseconds: '{0}：必须是毫秒时间戳，不晚于 9999 年，如 1798761599000；不限请省略{1}。',
  dates_reversed: '{0}：开始时间不能晚于结束时间{1}。',
  sequence_repeated: '{0}：序号在请求中重复{1}。',
  asset_number_repeated: '{0}：资产编号在同一个 assets 元素中重复{1}。',
  asset_number_shared:
    '{0}：其他客户的订单（{1}）使用了同一资产编号 {2}。异步批次中，不同客户的订单生效顺序不确定。请改为同步批次，或等前一批次' +
    '完成后再提交另一批次。',
  asset_without_items: '{0}：购买订单至少需要一个产品或商品{1}。',
  merchandise_too_deep: '{0}：商品嵌套层数超过上限（{1} 层）。',
  list_too_long: '{0}：列表元素数量超过上限（{1} 个）。请拆分后分多次提交。',
  batch_too_large: '{0}：批次累计至此已超过上限（{1}）。请减小订单，或拆分为多个批次。',
  src_license_order_required: '{0}：撤销云授权时必须指定来源订单{1}。',
  channel_not_allowed: '{0}：该应用未绑定渠道 {1}。',
  channel_order_id_conflict:
    'channelOrderId {0} 已被受理，但 syncMode 或订单内容不同。新订单请使用新的 channelOrderId。',
  batch_not_found: '该应用在渠道 {1} 中没有提交过批次 {0}。',
  content_expired: '渠道 {1} 中批次 {0} 的失败订单已不再保存，请根据自有数据重新生成。',
  order_not_found: '该应用没有提交过订单 {0}。',

  customer_not_found: '客户 {0} 不存在。',
  enterprise_mismatch: '客户 {0} 不属于企业 {1}。请使用 O3 为该客户返回的 enterpriseGlobalId。',
  source_order_not_found: '来源订单 {0} 不是成功的购买订单{1}。',
  asset_owned_by_other_customer: '资产 {0} 属于其他客户。如需转移，请将 transferedAssetNum 设为 true。',
  license_type_mismatch: '资产 {0} 的授权类型（{1}）与订单（{2}）不一致。',
  asset_not_found: '资产 {0} 不存在或无效{1}。',
  asset_not_in_source_order: '资产 {0} 上没有来源订单 {1} 的有效授权。',
  product_not_found: '资产 {0} 上没有匹配的有效产品 {1}{2}。',
  asset_full: '资产 {0} 上的内容将超过上限（{1}{2}）。请改用其他资产。',
  order_too_large: '订单超过上限（{0} {1}）。请按资产编号拆分为多个订单。',
  cancelled: '订单在生效前已取消。',
  internal_error: '服务故障导致订单失败。操作员可以重试该订单。',

  application_not_approved: '该应用未获批准，请先批准。',
  webhook_not_found: 'Webhook {0} 不存在。',
  webhook_disabled: 'Webhook {0} 已停用，请先启用。',
  webhook_address_forbidden:
    '{0} 不是公网地址，也不是解析到公网地址的域名。请更正；如需在本机试用 webhook，请以 WEBHOOK_ALLOW_PRIVATE=true 启动服务。',
  answer_too_large: '响应内容将超过上限（{0} MiB）。请缩小查询范围，或由管理人员分页查看。',
  event_unknown: '事件 ID（after）大于最新事件的 ID。请使用已收到的事件 ID。',
  webhooks_exhausted: '该应用的 Webhook 数量已达上限（{0} 个）。请先删除一个。',
  enterprise_not_found: '企业 {0} 不存在。',
  account_malformed: '{0}：账号只能包含字母和数字，且连同企业代码须少于 63 个字符{1}。',
  account_taken: '{0}：该企业中已有员工使用此账号。',
  employee_not_found: '该企业没有员工 {0}。',
  password_length: '{0}：密码须为 8 至 32 个字符{1}。',

  operation_not_found: '该路径没有对应的接口。',
  method_not_allowed: '该接口不支持此请求方法。',
  request_timeout: '请求接收超时，请重试。',
  headers_too_large: '路径或请求头过长。',
  service_unavailable: '服务暂不可用，请重试。',
  overloaded: '服务过载{0}，请重试。',
  outcome_unknown: '批次可能已执行，也可能未执行。请原样重新提交以获取结果。',
  channel_paused: '渠道 {0} 已暂停，未保存任何内容。请稍后重试，或以异步方式提交批次。',
};

/** Chinese by English; both may have placeholders. */
export type Phrases = Readonly<Record<string, string>>;
export type PhrasesByPlaceholder = Readonly<Record<number, Phrases>>;

/** What fields must be. The contract's words. */
export const fieldFaultsInChinese: Phrases = {
  'is required to revoke a cloud license': '撤销云授权时必填',
  'is required': '必填',
  'appears more than once in this request': '在请求中重复',
  'appears more than once in this element of assets': '在同一个 assets 元素中重复',
  'a purchase needs at least one product or merchandise': '购买订单至少需要一个产品或商品',
  'appears more than once': '重复出现',
  'unknown field; did you mean {0}?': '未知字段，可能拼错了 {0}',
  'must not be after the end': '不能晚于结束时间',
  'must be milliseconds since 1970, up to the year {0}, such as {1}; omit it for no limit':
    '须为毫秒时间戳，不晚于 {0} 年，如 {1}；不限请省略',
  'must be a number of milliseconds since 1970-01-01 UTC, such as {0}, or an ISO 8601 date, such as {1}':
    '须为毫秒时间戳，如 {0}，或 ISO 8601 日期，如 {1}',
  'must be a number of milliseconds since 1970-01-01 UTC, such as {0}': '须为毫秒时间戳，如 {0}',
  'must be a string of {0} to {1} decimal digits, such as {2}': '须为 {0} 至 {1} 位数字的字符串，如 {2}',
  'must be {0} to {1} lowercase letters and digits, with {2} only in between':
    '须为 {0} 至 {1} 个小写字母和数字，中间可用 {2}',
  'must be {0} to {1} characters': '须为 {0} 至 {1} 个字符',
  'must be at most {0} characters': '最多 {0} 个字符',
  'must be filled in, because it is hidden here. It is restored only if {0}':
    '须填写，因为此处已隐藏。仅当序号、客户、资产编号和产品均未改动时才会还原',
  'must be a string, such as {0}': '须为字符串，如 {0}',
  'must be a number, such as {0}': '须为数字，如 {0}',
  'must be a number': '须为数字',
  'must be an array: {0}': '须为数组：{0}',
  'must be an object: {0}': '须为对象：{0}',
  'must be an integer from {0} to {1}': '须为 {0} 至 {1} 的整数',
  'must be an integer up to {0}': '须为不超过 {0} 的整数',
  'must be an integer': '须为整数',
  'must be at most {0}': '不能大于 {0}',
  'must be one of {0}': '须为以下值之一：{0}',
  'must be the nextCursor of a page of {0}': '须为上一页的 nextCursor',
  'must be absent if {0} is set': '指定了 {0} 时须省略',
  'must be true or absent': '须为 true 或省略',
  'must be {0}, {1} or {2}': '须为 {0}、{1} 或 {2}',
  'must be {0} or {1}': '须为 {0} 或 {1}',
  'must contain a channel, or be null': '须包含至少一个渠道，或为 null',
  'must contain a scope': '须包含至少一个权限范围',
  'must contain only letters A-Z, a-z and digits, and fewer than {0} characters with the enterprise code':
    '只能包含字母和数字，且连同企业代码须少于 {0} 个字符',
  'must contain at most {0} {1}': '最多 {0} 个',
  'must not contain control characters other than line breaks': '不能包含控制字符（换行除外）',
  'must not contain control characters': '不能包含控制字符',
  'must contain a visible character': '须包含可见字符',
  'must not contain the invisible character {0}': '不能包含不可见字符 {0}',
  'must not have a form that a spreadsheet gives to numbers; did you mean all its digits?':
    '不能是电子表格改写后的数字，请填写完整编号',
  'must not have a form that a spreadsheet gives to numbers; did you mean {0}?':
    '不能是电子表格改写后的数字，是否应为 {0}？',
  'must not be negative': '不能为负数',
  'must not be empty': '不能为空',
};

/** Where a text is not JSON. */
export const jsonFaultsInChinese: Phrases = {
  'it is UTF-16': '编码为 UTF-16',
  'it is compressed with gzip': '经 gzip 压缩',
  '{0}: this key appears more than once in its object': '{0}：同一对象中键名重复',
  '{0}: expected {1}, found {2}': '{0}：应为{1}，实为{2}',
  'line {0}, column {1}': '第 {0} 行第 {1} 列',
  'a value or {0}': '值或 {0}',
  'a value': '值',
  'a key in double quotes or {0}': '双引号括起的键名或 {0}',
  'a key in double quotes': '双引号括起的键名',
  'a closing quote': '结束引号',
  'an escape such as {0}': '转义序列，如 {0}',
  'the end': '结尾',
  'a line break': '换行',
  'the curly quote {0}': '弯引号 {0}',
  'the byte {0}': '字节 {0}',
  '{0} or {1}': ' {0} 或 {1}',
};

const roles = { viewer: '只读', support: '技术支持', admin: '系统管理员' };

/** The values that are English phrases, by cause. */
export const valuesInChinese: Readonly<Record<string, PhrasesByPlaceholder>> = {
  role_missing: { 0: roles, 1: roles },
  not_found: {
    0: {
      'active asset': '有效资产',
      administrator: '管理员',
      application: '应用',
      asset: '资产',
      batch: '批次',
      channel: '渠道',
      enterprise: '企业',
      'failed order of this batch': '该批次的失败订单',
      operator: '操作员',
      order: '订单',
      webhook: ' Webhook',
    },
  },
  field_invalid: { 1: fieldFaultsInChinese },
  json_malformed: { 0: jsonFaultsInChinese },
  changed_meanwhile: { 0: { 'it now has the administrator {0}': '现有管理员 {0}', 'its channels': '渠道' } },
  dates_reversed: { 0: { 'limitStartDate {0} of asset {1}': '资产 {1} 的 limitStartDate {0}' } },
  batch_too_large: {
    1: {
      '{0} MiB of text': '{0} MiB 文本',
      '{0} products and merchandise on one asset': '单个资产 {0} 个产品和商品',
      '{0} products and merchandise to change, {1} to revoke from, or {2} on assets to add to':
        '变更 {0} 个产品和商品，在 {1} 个中撤销，或在已有 {2} 个的资产上添加',
      '{0} products and merchandise': '{0} 个产品和商品',
    },
  },
  source_order_not_found: { 1: { ' of customer {0}': '，或不属于客户 {0}' } },
  asset_not_found: { 1: { ' of the customer': '，或不属于该客户' } },
  product_not_found: {
    2: {
      '; the nearest one has {0}': '；最接近的产品：{0}',
      '{0}, and {1}': '{0}、{1}',
      '{0} and {1}': '{0}、{1}',
      '{0}, {1}': '{0}、{1}',
      'no {0}': '无 {0}',
      'the srcLicenseOrderId of an order of this batch': 'srcLicenseOrderId 为本批次的订单',
    },
  },
  asset_full: {
    2: {
      grants: ' 个授权',
      'extended attributes': ' 个扩展属性',
      'active products and merchandise': ' 个有效产品和商品',
    },
  },
  order_too_large: {
    1: {
      'products and merchandise to change': '个待变更的产品和商品',
      'grants on its assets': '个资产授权',
      'products, merchandise and grants on its assets': '个资产上的产品、商品和授权',
    },
  },
  overloaded: {
    0: {
      ': {0} orders of your application are pending, and the limit is {1}':
        '（该应用有 {0} 个待处理订单，上限为 {1} 个）',
    },
  },
};

/** The end of messages about the first of several bad fields. */
export const OTHER_FAULTS: Phrases = {
  '{0} (and at least {1} more faults)': '{0}（另有至少 {1} 处错误）',
  '{0} (and {1} more faults)': '{0}（另有 {1} 处错误）',
  '{0} (and {1} more fault)': '{0}（另有 {1} 处错误）',
};
