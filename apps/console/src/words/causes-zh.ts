import type { ConsoleCause, ConsoleOrder, OperatorRole } from '@lockstep/contract/console';
import { type english, fillIn } from '@lockstep/contract/templates';

type Cause = NonNullable<ConsoleOrder['cause']>;

/** The messages of causes in Chinese. They are templates like the English ones (see fillIn), with the same values. */
export const causesInChinese: Readonly<Record<ConsoleCause | Cause, string>> = {
  not_logged_in: '您尚未登录或会话已失效，请重新登录。',
  login_failed: '用户名或密码错误，或者账号已停用或被锁定。登录失败 10 次，账号将锁定 5 分钟。',
  log_in_link_invalid: '登录链接已使用或已过期。请用密码登录，或重新运行 npm start 获取新链接。',
  password_log_in_off: '密码登录已关闭。请通过登录提供方登录。',
  provider_unavailable: '登录提供方 {0} 未正确响应。请稍后重试，或请系统管理员检查其设置。',
  provider_attempt_unknown: '此次登录已完成、已过期，或是在其他浏览器中发起的。请重新登录。',
  provider_refused: '登录提供方拒绝了登录：{0}。',
  provider_without_role: '您在登录提供方的账号不属于任何可访问此控制台的组。请联系系统管理员添加。',
  provider_name_unusable:
    '您在登录提供方的用户名 {0} 不能在此使用。请向系统管理员申请由 1 至 63 个字母和数字组成的用户名，中间可用 . _ -。',
  provider_name_taken: '{0} 是另一位操作员的名称。如果是您的账号，请联系系统管理员将其关联到登录提供方。',
  operator_disabled: '您的账号已停用。请联系系统管理员启用。',
  role_by_provider: '{0} 的角色在每次登录时由登录提供方的组决定。请修改其所属的组。',
  password_wrong: '当前密码不正确。',
  role_missing: '您的角色“{1:role}”权限不足，此操作需要更高的角色“{0:role}”。',
  request_forged: '请求并非由此控制台发出。',
  channels_missing: '此操作还涉及未分配给您的渠道，请联系可查看全部渠道的操作员。',
  not_found: '找不到{0:kind} {1}。',
  changed_meanwhile: '页面加载后，数据已发生变更（{0:change}）。请重新加载页面。',
  name_taken: '操作员 {0} 已存在，请换一个名称。',
  batch_not_completed: '批次 {0} 尚未完成，待处理的订单（{1} 个）仍可能失败。请等待批次完成，或取消这些订单。',
  nothing_failed: '批次 {0} 没有失败订单。',
  too_large_to_edit:
    '失败订单的大小（{0} 字节）超过在此编辑的上限（{1} 字节）。请改用 lockstep batch failed 和 lockstep batch retry --file。',
  last_admin: '不能停用最后一个有效的系统管理员，也不能降低其角色。',

  json_malformed: '内容不是有效的 JSON（UTF-8 编码）[：{0:json}]。',
  json_too_deep: 'JSON 嵌套层数超过上限（{0} 层）。',
  body_too_large: '内容大小超过上限（{0} 字节）。请拆分后分多次提交。',
  field_missing: '{0}：必填。',
  field_invalid: '{0}：{1:fault}。',
  field_misspelled: '{0}：未知字段，可能拼错了 {1}。',
  filter_unknown: '{0}：未知筛选条件[（您是否想输入 {1}？）]。此列表的参数有 {2}。',
  field_repeated: '{0}：重复出现。',
  date_not_milliseconds: '{0}：必须是毫秒时间戳，不晚于 9999 年，如 1798761599000；不限请省略。',
  dates_reversed: '{0}[ {2}（资产 {1}）][（{4}）]：开始时间不能晚于结束时间[ {3}]。',
  sequence_repeated: '{0}：序号在请求中重复。',
  asset_number_repeated: '{0}：资产编号在同一个 assets 元素中重复。',
  asset_number_shared:
    '{0}：其他客户的订单（{1}）使用了同一资产编号 {2}。异步批次中，不同客户的订单生效顺序不确定。请改为同步批次，或等前一批次' +
    '完成后再提交另一批次。',
  asset_without_items: '{0}：购买订单至少需要一个产品或商品。',
  merchandise_too_deep: '{0}：商品嵌套层数超过上限（{1} 层）。',
  list_too_long: '{0}：列表元素数量超过上限（{1} 个）。请拆分后分多次提交。',
  batch_too_large: '{0}：批次累计至此已超过上限（{1:limit}）。请减小订单，或拆分为多个批次。',
  src_license_order_required: '{0}：撤销云授权时必须指定来源订单。',
  channel_not_allowed: '{0}：该应用未绑定渠道 {1}。',
  channel_order_id_conflict:
    'channelOrderId {0} 已被受理，但 syncMode 或订单内容不同。新订单请使用新的 channelOrderId。',
  batch_not_found: '该应用在渠道 {1} 中没有提交过批次 {0}。',
  content_expired: '渠道 {1} 中批次 {0} 的失败订单已不再保存，请根据自有数据重新生成。',
  order_not_found: '该应用没有提交过订单 {0}。',

  customer_not_found: '客户 [{1} ]{0} 不存在。',
  enterprise_mismatch: '客户 {0} 不属于企业 {1}。请使用 O3 为该客户返回的 enterpriseGlobalId。',
  source_order_not_found: '来源订单 {0}[（{2}）] 不是成功的购买订单[，或不属于客户 {1}]。',
  asset_owned_by_other_customer: '资产 {0}[（{1}）] 属于其他客户。如需转移，请将 transferedAssetNum 设为 true。',
  license_type_mismatch: '资产 {0}[（{3}）] 的授权类型（{1}）与订单（{2}）不一致。',
  asset_not_found: '资产 {0}[（{2}）] 不存在或无效{1:inactive}。',
  asset_not_in_source_order: '资产 {0}[（{2}）] 上没有来源订单 {1} 的有效授权。',
  product_not_found: '资产 {0} 上没有匹配的有效产品 {1}[（{3}）][；最接近的产品：{2}]。',
  asset_full: '资产 {0}[（{3}）] 上的内容将超过上限（{1} {2:counted}）。请改用其他资产。',
  order_too_large: '订单超过上限（{0} {1:counted}）[，在资产 {2}（{3}）处]。请按资产编号拆分为多个订单。',
  cancelled: '订单在生效前已取消。',
  internal_error: '服务故障导致订单失败。操作员可以重试该订单。',

  scope_missing: '访问令牌缺少权限 {0}，请申请具有该权限的令牌。',
  client_token_missing: '缺少 clientToken 请求头。',
  client_token_invalid: 'clientToken 未知、已过期或已撤销，或者是用户令牌。',
  client_token_mismatch: 'clientToken 与访问令牌属于不同的应用。',
  user_token_missing: '缺少 userToken 请求头。',
  user_token_invalid: 'userToken 未知、已过期或已撤销，缺少 auth_me，不是用户令牌，或属于其他应用。请重新登录。',
  not_administrator: 'userToken 不属于企业 {0} 的管理员。',
  nonce_missing: '缺少 g_nonce。每次调用都须发送新的随机值。',
  nonce_malformed: 'g_nonce 须出现一次，由 8 至 64 个字符组成，可用 A-Z、a-z、0-9、_ 和 -。',
  nonce_replayed: 'g_nonce 已被使用。每次调用都须发送新的随机值。',
  idempotency_key_malformed: 'Idempotency-Key 请求头须为 8 至 255 个可见 ASCII 字符，如 UUID。',
  idempotency_key_reused: '最近 24 小时内，此 Idempotency-Key 已用于另一次调用。请原样重复那次调用，或换用新的键。',
  app_key_mismatch: 'appKey 与访问令牌不一致。',
  content_type_unsupported: 'Content-Type 请求头须为 {0}。',
  enterprise_mobile_mismatch: 'passwordMobile 与该名称企业的安全手机号不一致。',
  enterprise_mobile_missing: '该名称的企业没有安全手机号，须由创建它的应用或操作员设置。',
  enterprise_name_taken: '已有其他企业使用该名称。',
  customer_bound_elsewhere: '渠道客户 {0} 已绑定到其他企业。',
  employee_not_matched: '该企业没有员工 {0}。',
  asset_not_withdrawable: '{0}：资产 {1} 未分配给该员工。',
  asset_of_other_enterprise: '{0}：资产 {1} 属于其他企业。',
  application_not_approved: '该应用未获批准，请先批准。',
  webhook_not_found: 'Webhook {0} 不存在。',
  webhook_disabled: 'Webhook {0} 已停用，请先启用。',
  webhook_paused: 'Webhook {0} 已暂停，请先恢复。',
  secrets_exhausted: 'Webhook {0} 的密钥在 24 小时内已更换 {1} 次，请在 {2} 之后重试。',
  delivery_not_found: 'Webhook {0} 没有投递记录 {1}。',
  event_deleted: '投递记录 {0} 的事件已不再保存，无法重新发送。',
  webhook_address_forbidden:
    '{0} 不是公网地址，也不是解析到公网地址的域名。请更正；如需在本机试用 webhook，请以 WEBHOOK_ALLOW_PRIVATE=true 启动服务。',
  answer_too_large: '响应内容将超过上限（{0} MiB）。请缩小查询范围，或由管理人员分页查看。',
  event_unknown: '事件 ID（after）大于最新事件的 ID。请使用已收到的事件 ID。',
  webhooks_exhausted: '该应用的 Webhook 数量已达上限（{0} 个）。请先删除一个。',
  enterprise_not_found: '企业 {0} 不存在。',
  account_malformed: '{0}：账号只能包含字母和数字，且连同企业代码须少于 63 个字符。',
  account_taken: '{0}：该企业中已有员工使用此账号。',
  employee_not_found: '该企业没有员工 {0}。',
  password_length: '{0}：密码须为 8 至 32 个字符。',

  operation_not_found: '该路径没有对应的接口。',
  method_not_allowed: '该接口不支持此请求方法。',
  request_timeout: '请求接收超时，请重试。',
  headers_too_large: '路径或请求头过长。',
  service_unavailable: '服务暂不可用，请重试。',
  overloaded: '服务过载[（该应用有 {0} 个待处理订单，上限为 {1} 个）]，请重试。',
  outcome_unknown: '批次可能已执行，也可能未执行。请原样重新提交以获取结果。',
  channel_paused: '渠道 {0} 已暂停，未保存任何内容。请稍后重试，或以异步方式提交批次。',
  http_malformed: '请求不是有效的 HTTP。',
  expectation_unsupported: 'Expect 请求头只能是 100-continue。',
  token_missing: 'Authorization 请求头须包含 "Bearer" 和访问令牌。',
  token_invalid: '访问令牌不存在、已过期或已撤销，或者是用户令牌。请重新获取应用的令牌。',

  employee_list_empty: '{0}：至少须包含一名员工。',
  too_many_employees: '{0}：最多包含 100 名员工。',
  account_missing: '{0}：必填。',
  group_id_missing: '{0}：不能为空。',
  password_missing: '{0}：必填。',
  name_missing: '{0}：必填。',
  name_too_long: '{0}：最多 30 个字符。',
  remark_too_long: '{0}：最多 200 个字符。',
  mobile_invalid: '{0}：须为不含空格的手机号：以 13 至 19 开头的 11 位数字，或以 + 开头、最多 15 位数字。',
  trial_employees_exhausted: '{0}：没有云授权的企业最多可添加 {1} 名员工。',
  some_employees_failed: '{1} 名员工中有 {0} 名未能添加，见 data.failed。',
  some_privileges_failed: '{1} 项中有 {0} 项未能执行，见 data.failed。',
  account_mismatch: 'userName：不是员工 {0} 的账号。',
  last_administrator: '不能删除企业的最后一位管理员。',
  customer_not_bound: '该企业没有客户，请先用 O1 绑定。',
  asset_id_not_found: '该企业没有 ID 为 {0} 的有效资产。请发送 M6 或 M8 返回的 assetId，而不是资产编号。',
  asset_number_not_found: '{0}：该企业没有可分配的资产 {1}{2:unassignable}。',
  asset_configured_twice: '{0}：资产 {1} {2:configured}。',
  asset_frozen: '{0}：资产 {1} 已冻结，不能分配。请先解冻。',
  borrowed_lock_unusable:
    'borrowedUsbKey：{0} 不是该企业可用的借用锁。借用锁须有效、未禁用且未冻结；M8 会列出有效的借用锁。',
  borrowed_lock_taken: 'borrowedUsbKey：锁 {0} 中已借入其他员工的资产，请使用其他锁。',
  asset_not_held: '{0}：没有 ID 为 {1} 的资产分配给该员工。请发送 M6 返回的 assetId，而不是资产编号。',
  asset_frozen_not_lent: '{0}：ID 为 {1} 的资产已冻结，不能借出。请先解冻。',
  asset_lent_elsewhere: '{0}：资产 {1} 已借出到其他锁。请先归还（M9）。',
  asset_without_nodes: '{0}：资产 {1} 没有带并发节点的有效产品。',
  account_ambiguous: '该账号对应多名员工。',
  enterprise_suffix_missing: '该企业没有代码。',
  lending_failed: '未能借出资产。',
  asset_numbers_exhausted: 'size：剩余的资产编号不足 {0} 个，请减少数量。',
};

/** The texts of words in messages, in Chinese. */
export const wordsInChinese: {
  [Kind in Exclude<keyof typeof english, 'kind'>]: Record<keyof (typeof english)[Kind], string>;
} & {
  role: Record<OperatorRole, string>;
  kind: Record<string, string>;
} = {
  fault: {
    absent_with: '指定了 {2} 时须省略',
    array: '须为数组：[...]',
    at_most: '不能大于 {2}',
    boolean: '须为 true 或 false',
    control_characters: '不能包含控制字符',
    control_characters_in_lines: '不能包含控制字符（换行除外）',
    cursor: '须为上一页的 nextCursor',
    date: '须为毫秒时间戳，如 1798761599000，或 ISO 8601 日期，如 "2026-12-31"',
    empty: '不能为空',
    event_id: '须为 1 至 19 位数字的字符串，如 "2001"，或 "latest"',
    hidden: '须填写，因为此处已隐藏。仅当序号、客户、资产编号和产品均未改动时才会还原',
    id: '须为 1 至 19 位数字的字符串，如 "2001"',
    integer: '须为整数',
    integer_between: '须为 {2} 至 {3} 的整数',
    integer_to: '须为不超过 {2} 的整数',
    invisible_character: '不能包含不可见字符 {2}',
    invisible_text: '须包含可见字符',
    length: '须为 {2} 至 {3} 个字符',
    negative: '不能为负数',
    no_channel: '须包含至少一个渠道，或为 null',
    no_scope: '须包含至少一个权限范围',
    number: '须为数字，如 12',
    object: '须为对象：{...}',
    one_of: '须为以下值之一：{2}',
    operator_name: '须为 1 至 63 个小写字母和数字，中间可用 . _ -',
    required: '必填',
    spreadsheet: '不能是电子表格改写后的数字，是否应为{2:digits}？',
    string: '须为字符串，如 "12"',
    time: '须为毫秒时间戳，如 1798761599000',
    too_long: '最多 {2} 个字符',
    too_many: '最多 {2} 个',
    too_many_numbers: '资产编号总数最多 {2} 个',
    true_or_false: '须为 true 或 false',
    true_or_absent: '须为 true 或省略',
    url_any: '须以 https:// 或 http:// 及主机名开头',
    url_fragment: '不能包含片段（#）',
    url_https: '须以 https:// 及主机名开头；http:// 要求服务设置 WEBHOOK_ALLOW_PRIVATE=true',
    url_user: '不能包含用户名或密码',
  },
  digits: { all: '完整编号' },
  json: {
    gzip: '经 gzip 压缩',
    unexpected: '第 {1} 行第 {2} 列：应为{3:token}，实为{4:token}',
    utf16: '编码为 UTF-16',
  },
  token: {
    bracket: ' "," 或 "]"',
    brace: ' "," 或 "}"',
    byte: '字节 {5}',
    curly_quote: '弯引号 {5}',
    end: '结尾',
    escape: '转义序列，如 \\n',
    key: '双引号括起的键名',
    key_or_brace: '双引号括起的键名或 "}"',
    line_break: '换行',
    quote: '结束引号',
    value: '值',
    value_or_bracket: '值或 "]"',
  },
  limit: {
    apart: '{2} 个产品和商品',
    on_asset: '单个资产 {2} 个产品和商品',
    text: '{2} MiB 文本',
    together: '变更 {2} 个产品和商品，在 {2} 个中撤销，或在已有 {3} 个的资产上添加',
  },
  counted: {
    attributes: '个扩展属性',
    changes: '个待变更的产品和商品',
    contents: '个有效产品和商品',
    grants: '个授权',
    grants_of_assets: '个资产授权',
    held: '个资产上的产品、商品和授权',
  },
  unassignable: { borrowed_lock: '（它是借用锁）' },
  configured: { held: '已分配给员工 {3}', repeated: '在此请求中出现多次' },
  inactive: { ever: '，也从未存在', now: '；如已撤销，请查看其历史记录', of_customer: '，或不属于该客户' },
  change: { administrator: '现有管理员 {1}', channels: '渠道' },
  role: { viewer: '只读', support: '技术支持', admin: '系统管理员' },
  kind: {
    active_asset: '有效资产',
    administrator: '管理员',
    application: '应用',
    asset: '资产',
    batch: '批次',
    channel: '渠道',
    enterprise: '企业',
    failed_order: '该批次的失败订单',
    login_provider: '登录提供方',
    operator: '操作员',
    order: '订单',
    webhook: ' Webhook',
  },
};

/** A failure as the service answers it: its cause, the English message, and the values in it. */
export interface Failed {
  cause: string | null;
  message: string | null;
  args?: readonly string[] | null | undefined;
}

const templates = new Map<string | null, string>(Object.entries(causesInChinese));
const PARTS_WITH_VALUES = /\[.*?\]|\{\d.*?\}/g;

/**
 * Returns the message of a failure in Chinese; undefined if there is none. Of a cause alone, it says what it means,
 * with an ellipsis for each value.
 */
export function explainInChinese({ cause, message, args }: Failed): string | undefined {
  const template = templates.get(cause);
  return message === null
    ? template?.replace(PARTS_WITH_VALUES, (part) => (part.startsWith('[') ? '' : '…'))
    : template && fillIn(template, args ?? [], wordsInChinese);
}
