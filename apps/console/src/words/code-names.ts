import { useCallback } from 'react';
import { defineWords } from './define-words.ts';
import { useLanguage } from './languages.ts';
import { useWords } from './words.ts';

/** Names for codes of the interface: order types, batch modes and operator roles. */
const codeNames = defineWords({
  en: {
    new_buy: 'Purchase',
    delete_asset: 'Revoke assets',
    delete_product: 'Revoke products',
    async: 'Responds on acceptance',
    sync: 'Responds when applied',
    viewer: 'viewer',
    support: 'support',
    admin: 'admin',
  },
  zh: {
    new_buy: '购买',
    delete_asset: '撤销资产',
    delete_product: '撤销产品',
    async: '异步，受理后返回',
    sync: '同步，执行完成后返回',
    viewer: '只读',
    support: '技术支持',
    admin: '系统管理员',
  },
});

/** Returns a function that writes a code with its name: `Purchase (new_buy)`. Returns an unknown code unchanged. */
export function useCodeNames(): (code: string) => string {
  const names: Record<string, string> = useWords(codeNames);
  const language = useLanguage();
  return useCallback(
    (code) => {
      const name = names[code];
      if (name === undefined || name === code) return code;
      return language === 'zh' ? `${name}（${code}）` : `${name} (${code})`;
    },
    [names, language],
  );
}
