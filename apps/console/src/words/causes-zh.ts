import type { ConsoleCause, ConsoleOrder } from '@lockstep/contract/console';
import type { ORDER_CAUSES } from './order-causes.ts';

type Cause = NonNullable<ConsoleOrder['cause']>;

/**
 * Meanings of causes in Chinese: those of the console, of orders, and others that operators see. The English message,
 * shown after it, has the values. See `COMPLETE_IN_CHINESE` for those without it.
 */
export const causesInChinese: Readonly<
  Record<ConsoleCause | (typeof ORDER_CAUSES)[number], string> & Partial<Record<Cause, string>>
> = {
  not_logged_in: '您尚未登录或会话已失效，请重新登录。',
  login_failed: '用户名或密码错误，或者账号已停用或被锁定。登录失败 10 次，账号将锁定 5 分钟。',
  log_in_link_invalid: '登录链接已使用或已过期。请用密码登录，或重新运行 npm start 获取新链接。',
  password_wrong: '当前密码不正确。',
  role_missing: '您的角色没有此权限。',
  request_forged: '请求并非由此控制台发出。',
  not_found: '对象不存在。',
  changed_meanwhile: '页面加载后，数据已发生变更。请重新加载页面。',
  name_taken: '操作员名称已存在，请换一个名称。',
  batch_not_completed: '批次尚未完成，待处理的订单仍可能失败。请等待批次完成，或取消这些订单。',
  nothing_failed: '该批次没有失败订单。',
  too_large_to_edit: '失败订单过大，无法在此编辑。请改用 lockstep batch failed 和 lockstep batch retry --file。',
  last_admin: '不能停用最后一个有效的系统管理员，也不能降低其角色。',

  json_malformed: '内容不是有效的 JSON（UTF-8 编码）。',
  json_too_deep: 'JSON 嵌套层数超过上限。',
  body_too_large: '内容大小超过上限。',
  content_type_unsupported: '不支持该 Content-Type。',
  field_missing: '缺少必填字段。',
  field_invalid: '字段值无效。',
  field_misspelled: '未知字段，可能是拼写错误。',
  date_not_milliseconds: '时间必须是毫秒时间戳，如 1798761599000；永久授权请省略该字段。',
  dates_reversed: '开始时间不能晚于结束时间。',
  sequence_repeated: '序号在请求中重复。',
  asset_number_repeated: '资产编号在同一个 assets 元素中重复。',
  asset_number_shared:
    '异步批次中，不同客户的订单使用了同一资产编号，其生效顺序不确定。请改为同步批次，或等前一批次完成后再提交另一批次。',
  asset_without_items: '购买订单至少需要一个产品或商品。',
  merchandise_too_deep: '商品嵌套层数超过上限。',
  list_too_long: '列表元素数量超过上限。',
  batch_too_large: '批次超过上限。请减小订单，或拆分为多个批次。',
  src_license_order_required: '撤销云授权时必须指定来源订单。',
  channel_not_allowed: '该应用未绑定此渠道。',
  channel_order_id_conflict:
    '该 channelOrderId 已被受理，但 syncMode 或订单内容不同。新订单请使用新的 channelOrderId。',
  batch_not_found: '批次不存在。',
  content_expired: '该批次的失败订单已不再保存，请根据自有数据重新生成。',
  order_not_found: '订单不存在。',

  customer_not_found: '客户不存在。',
  enterprise_mismatch: '客户不属于该企业。',
  source_order_not_found: '来源订单不是成功的 new_buy 订单。',
  asset_owned_by_other_customer: '资产属于其他客户。如需转移，请将 transferedAssetNum 设为 true。',
  license_type_mismatch: '资产的授权类型与订单不一致。',
  asset_not_found: '没有符合条件的有效资产。',
  asset_not_in_source_order: '资产上没有来源订单的授权。',
  product_not_found: '资产上没有匹配的有效产品。',
  asset_full: '资产上的内容将超过上限。',
  order_too_large: '订单变更的产品和商品过多。请按资产编号拆分为多个订单。',
  cancelled: '订单在生效前已取消。',
  internal_error: '服务故障导致订单失败。操作员可以重试该订单。',

  application_not_approved: '该应用未获批准，请先批准。',
  webhook_not_found: 'Webhook 不存在。',
  webhook_disabled: 'Webhook 已停用。请先启用。',
  webhook_address_forbidden: '该地址是内网、回环、链路本地或其他保留地址。请使用公网地址。',
  event_unknown: 'after 大于最新事件的 ID。请使用已收到的事件 ID。',
  webhooks_exhausted: '该应用的 Webhook 数量已达上限。请先删除一个。',
  enterprise_not_found: '企业不存在。',
  account_malformed: '账号只能包含字母和数字，且连同企业代码须少于 63 个字符。',
  account_taken: '该企业中已有员工使用此账号。',
  employee_not_found: '该企业没有此员工。',
  password_length: '密码须为 8 至 32 个字符。',

  operation_not_found: '该路径没有对应的接口。',
  method_not_allowed: '该接口不支持此请求方法。',
  request_timeout: '请求接收超时，请重试。',
  headers_too_large: '路径或请求头过长。',
  service_unavailable: '服务暂不可用，请重试。',
  overloaded: '服务过载，请重试。',
  outcome_unknown: '批次可能已执行，也可能未执行。请原样重新提交以获取结果。',
  channel_paused: '渠道已暂停，未保存任何内容。请稍后重试，或以异步方式提交批次。',
};

/** Causes whose English message has no values that the Chinese meaning lacks, so that it is not shown after it. */
export const COMPLETE_IN_CHINESE: ReadonlySet<string | null> = new Set<Cause | ConsoleCause>([
  'not_logged_in',
  'login_failed',
  'log_in_link_invalid',
  'password_wrong',
  'request_forged',
  'name_taken',
  'last_admin',
  'json_malformed',
  'cancelled',
  'internal_error',
  'application_not_approved',
  'event_unknown',
  'operation_not_found',
  'method_not_allowed',
  'request_timeout',
  'headers_too_large',
  'service_unavailable',
  'outcome_unknown',
]);
