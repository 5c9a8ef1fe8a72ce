import { defineAreaWords } from '../../words/define-words.ts';

/** The words of applications. */
export const applicationsWords = defineAreaWords({
  intro: [
    'Systems that call the API. Each has a key, a secret and scopes.',
    '调用 API 的系统。每个应用都有 App Key、密钥和权限范围。',
  ],
  search: ['Name or key', '名称或 App Key'],
  status: ['Status', '状态'],
  appSecret: ['Secret', '密钥'],
  scopes: ['Scopes', '权限范围'],
  allChannels: ['All channels', '全部渠道'],
  noneTitle: ['No applications', '暂无应用'],
  noneYet: [
    'An application is a channel’s system. An admin registers the first one here.',
    '应用是渠道的系统。系统管理员可在此注册第一个应用。',
  ],
  newTitle: ['New application', '新建应用'],
  nameHint: ['The name by which people know the system that calls the API.', '填写调用 API 的系统名称，便于识别。'],
  scopeOrder: ['auth_order: send orders and read their outcomes', 'auth_order：提交订单并查询结果'],
  scopeMember: ['auth_me: the member center, with employees and their assets', 'auth_me：成员中心，包括员工及其资产'],
  scopeMissing: ['Select at least one scope.', '请至少选择一个权限范围。'],
  bindSome: ['Only these channels', '仅限以下渠道'],
  channelsHint: [
    'One channel code per line. Calls that name another channel are refused.',
    '每行一个渠道代码。指定其他渠道的调用会被拒绝。',
  ],
  channelsMissing: ['Enter at least one channel, or select all channels.', '请至少填写一个渠道，或选择全部渠道。'],
  channelsTooMany: ['Enter at most 200 channels.', '最多填写 200 个渠道。'],
  approveAtOnce: ['Approve now', '立即批准'],
  approveAtOnceHint: ['An application can’t get tokens until it is approved.', '待批准的应用无法获取令牌。'],
  create: ['Register application', '注册应用'],
  created: [(name: string) => `${name} registered.`, (name) => `${name} 已注册。`],
  secretOnce: [
    'Hand over the secret securely now. Only its hash is stored, so it can’t be shown again. If it is lost, rotate it.',
    '请立即将密钥安全地交给对方。系统只保存哈希值，之后无法再次查看；如果丢失，请轮换密钥。',
  ],
  liveTokens: ['Active tokens', '有效令牌'],
  liveTokensHint: ['excluding tokens of its users', '不含其用户的令牌'],
  lastToken: ['Last token', '最近获取令牌'],
  noToken: ['None in the last 2 hours', '最近 2 小时内无'],
  lastBatch: ['Last batch', '最近批次'],
  dayBatches: ['Batches in 24 hours', '24 小时批次'],
  dayOrders: ['Orders in 24 hours', '24 小时订单'],
  dayFailed: ['Failed in 24 hours', '24 小时失败'],
  atLeast: [(count: string) => `at least ${count}`, (count) => `至少 ${count}`],
  revokeTokens: ['Revoke tokens', '吊销令牌'],
  revokeTokensTitle: [(name: string) => `Revoke all tokens of ${name}?`, (name) => `吊销 ${name} 的全部令牌？`],
  revokeTokensSays: [
    (name: string) =>
      `All tokens of ${name} and its users stop working with the next call. This can’t be undone. ${name} can get new tokens with its secret; its users must log in again. If the secret has leaked, rotate it with 0 hours instead, which also revokes the tokens.`,
    (name) =>
      `从下一次调用起，${name} 及其用户的令牌全部失效，此操作无法撤销。${name} 可用密钥获取新令牌，用户须重新登录。如果密钥已泄露，请改为轮换密钥并填写 0 小时，令牌会一并吊销。`,
  ],
  revokeTokensDone: [(name: string) => `Tokens of ${name} revoked.`, (name) => `${name} 的令牌已吊销。`],
  oldSecretEnd: ['Previous secret expires', '旧密钥失效时间'],
  noOldSecret: ['No previous secret', '没有旧密钥'],
  changes: ['Changes', '变更'],
  approve: ['Approve', '批准'],
  approveTitle: [(name: string) => `Approve ${name}?`, (name) => `批准 ${name}？`],
  approveSays: [
    (name: string) => `${name} can get tokens and call the API, starting with the next call.`,
    (name) => `从下一次调用起，${name} 可以获取令牌并调用 API。`,
  ],
  approveDone: [(name: string) => `${name} approved.`, (name) => `${name} 已批准。`],
  suspend: ['Suspend', '停用'],
  suspendTitle: [(name: string) => `Suspend ${name}?`, (name) => `停用 ${name}？`],
  suspendSays: [
    (name: string) =>
      `Starting with the next call, ${name} gets no tokens, its calls are refused, and its webhooks receive nothing. Its accepted batches continue. Its tokens and those of its users are revoked; approving it again does not restore them.`,
    (name) =>
      `从下一次调用起，${name} 无法获取令牌，其调用会被拒绝，Webhook 不再收到消息。已提交的批次继续处理。该应用及其用户的令牌将被吊销，重新批准后也不会恢复。`,
  ],
  suspendDone: [(name: string) => `${name} suspended.`, (name) => `${name} 已停用。`],
  rotate: ['Rotate secret', '轮换密钥'],
  rotateTitle: [(name: string) => `Rotate the secret of ${name}?`, (name) => `轮换 ${name} 的密钥？`],
  rotateSays: [
    'This creates a new secret. The current one stays valid for the time you set; any older one stops working immediately.',
    '将生成新密钥。当前密钥在您设定的时间内仍然有效，更早的密钥立即失效。',
  ],
  overlapHours: ['Hours until the current secret expires', '当前密钥多少小时后失效'],
  overlapHint: ['0 to 720. If the secret has leaked, enter 0.', '0 至 720。如果密钥已泄露，请填写 0。'],
  overlapInvalid: ['Enter a whole number from 0 to 720.', '请输入 0 至 720 之间的整数。'],
  nothingWorks: [
    'The current secret stops working immediately, and all tokens of the application and its users are revoked. Calls are refused until the new secret is in place, and users must log in again.',
    '当前密钥立即失效，该应用及其用户的令牌全部吊销。换用新密钥之前，调用会被拒绝；用户须重新登录。',
  ],
  stillWorks: [
    (hours: string, last: string) =>
      `Anyone who has the current secret can get tokens for ${hours} more hours, and call the API with them for up to ${last} hours from now. Existing tokens stay valid.`,
    (hours, last) =>
      `持有当前密钥的人在 ${hours} 小时内仍可获取令牌，并可用这些令牌调用 API，自现在起最长 ${last} 小时。现有令牌继续有效。`,
  ],
  rotateDone: ['Secret rotated.', '密钥已轮换。'],
  oldGoodUntil: ['The previous secret is valid until', '旧密钥有效期至'],
  tokensGoodUntil: ['Tokens obtained with it expire no later than', '用旧密钥获取的令牌最迟失效时间'],
  oldEnded: ['The previous secret no longer works, and all tokens are revoked.', '旧密钥已失效，全部令牌已吊销。'],
  bind: ['Change channels', '修改渠道'],
  bindTitle: [(name: string) => `Channels of ${name}`, (name) => `${name} 的渠道`],
  bindSays: [
    'Takes effect with the next call. Calls that name another channel are refused, and the application can’t see customers and assets of other channels.',
    '从下一次调用起生效。指定其他渠道的调用会被拒绝，该应用也看不到其他渠道的客户和资产。',
  ],
  bound: ['Channels changed.', '渠道已修改。'],
});
