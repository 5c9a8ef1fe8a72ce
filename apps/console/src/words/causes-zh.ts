import type { ConsoleCause, ConsoleOrder } from '@lockstep/contract/console';
import type { ORDER_CAUSES } from './order-causes.ts';

type Cause = NonNullable<ConsoleOrder['cause']>;

/**
 * Meanings of causes in Chinese: those of the console, of orders, and others that operators see. The English message,
 * shown after it, has the details.
 */
export const causesInChinese: Readonly<
  Record<ConsoleCause | (typeof ORDER_CAUSES)[number], string> & Partial<Record<Cause, string>>
> = {
  not_logged_in: '您尚未登录，或会话已结束，请重新登录。',
  login_failed: '用户名或密码错误，或账户已锁定或停用。失败十次后将锁定五分钟。',
  log_in_link_invalid: '登录链接已使用或已过期。请用密码登录，或重新运行 npm start 获取新链接。',
  password_wrong: '当前密码不正确。',
  role_missing: '您的角色无权进行此操作。',
  request_forged: '该请求不是由本控制台发出的。',
  not_found: '找不到该对象。',
  changed_meanwhile: '该内容在此期间已被更改，请重新加载。',
  name_taken: '已有同名操作员。',
  batch_not_completed: '批次尚未完成，待处理的订单也可能失败。请等待其完成，或取消这些订单。',
  nothing_failed: '该批次没有失败的订单，无需重新发送。',
  too_large_to_edit:
    '失败订单的内容太大，无法在此编辑。请使用命令 lockstep batch failed 和 lockstep batch retry --file。',
  last_admin: '最后一个启用的 admin 必须保留。',

  json_malformed: '内容不是有效的 JSON。',
  json_too_deep: 'JSON 嵌套过深。',
  body_too_large: '内容超过大小限制。',
  content_type_unsupported: '内容类型不受支持。',
  field_missing: '缺少必填字段。',
  field_invalid: '字段的值无效。',
  field_misspelled: '未知字段，可能是拼写错误。',
  date_not_milliseconds: '结束时间必须是自 1970 年起的毫秒数。',
  dates_reversed: '开始时间晚于结束时间。',
  sequence_repeated: '序号在批次中重复。',
  asset_number_repeated: '资产号在同一资产元素中重复。',
  asset_number_shared: '异步批次中两个客户的订单使用了同一资产号，生效顺序无法确定。请以同步方式发送，或分成两个批次。',
  asset_without_items: '没有要购买的产品或商品。',
  merchandise_too_deep: '商品嵌套超过 16 层。',
  list_too_long: '列表元素过多。',
  batch_too_large: '批次会创建、撤销或转移的产品和商品过多，或单个资产上的过多，或要存储的文本过多。',
  src_license_order_required: '撤销云授权必须指定来源订单。',
  channel_not_allowed: '该应用未绑定此渠道。',
  channel_order_id_conflict: '该 channelOrderId 已被另一内容的批次使用。',
  batch_not_found: '找不到该批次。',
  content_expired: '失败订单的内容已不再保留。',
  order_not_found: '找不到该订单。',

  customer_not_found: '客户不存在。',
  enterprise_mismatch: '客户不属于该企业。',
  source_order_not_found: '来源订单不是成功的购买订单。',
  asset_owned_by_other_customer: '资产属于另一客户。',
  license_type_mismatch: '资产的授权类型与订单不一致。',
  asset_not_found: '没有该资产号的有效资产。',
  asset_not_in_source_order: '资产上没有来源订单的授权。',
  product_not_found: '资产上没有匹配的有效产品。',
  asset_full: '资产上的有效产品和商品将超过 10,000 个，或其扩展属性将超过 100 个。',
  order_too_large: '订单会创建、撤销或转移超过 200,000 个产品和商品，请按资产号拆分。',
  cancelled: '订单在生效前已被取消。',
  internal_error: '由于服务故障，订单未能执行。',

  application_not_approved: '该应用未获批准。',
  webhook_not_found: '找不到该 Webhook。',
  webhook_disabled: 'Webhook 已停用，请先启用。',
  webhook_address_forbidden: '该地址是内网或保留地址，消息只发送到公网地址。',
  event_unknown: 'after 大于目前所有事件的编号；请使用已收到的事件编号。',
  webhooks_exhausted: '该应用的 Webhook 数量已达上限。',
  enterprise_not_found: '找不到该企业。',
  account_malformed: '账户名只能包含字母和数字，且不能过长。',
  account_taken: '该企业已有同名账户。',
  employee_not_found: '找不到该员工。',
  password_length: '密码长度不符合要求。',

  operation_not_found: '没有此操作。',
  method_not_allowed: '该操作不支持此方法。',
  request_timeout: '请求未能及时到达。',
  headers_too_large: '地址或请求头过长。',
  service_unavailable: '服务目前无法应答，请稍后重试。',
  overloaded: '服务过载，请稍后重试。',
  outcome_unknown: '结果未知：该批次可能已经执行。请以相同内容重新发送以获取结果。',
  channel_paused: '渠道已暂停，请稍后重试。',
};
