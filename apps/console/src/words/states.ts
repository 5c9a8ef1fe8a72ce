import { defineWords } from './define-words.ts';

/** The states of batches, orders, assets, webhooks, applications and channels. */
export const stateWords = defineWords({
  en: {
    accepted: 'accepted',
    processing: 'processing',
    completed: 'completed',
    pending: 'pending',
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'cancelled',
    active: 'active',
    inactive: 'inactive',
    revoked: 'revoked',
    locked: 'locked',
    enabled: 'enabled',
    disabled: 'disabled',
    failing: 'failing',
    delivered: 'delivered',
    approved: 'approved',
    suspended: 'suspended',
    current: 'current',
    behind: 'behind',
    paused: 'paused',
  },
  zh: {
    accepted: '已接收',
    processing: '处理中',
    completed: '已完成',
    pending: '待处理',
    succeeded: '成功',
    failed: '失败',
    cancelled: '已取消',
    active: '有效',
    inactive: '无效',
    revoked: '已撤销',
    locked: '已锁定',
    enabled: '已启用',
    disabled: '已停用',
    failing: '投递失败',
    delivered: '已投递',
    approved: '已批准',
    suspended: '已暂停',
    current: '正常',
    behind: '滞后',
    paused: '已暂停',
  },
});

/** A state that a page can show. */
export type KnownState = keyof typeof stateWords.en;
