import { useCallback } from 'react';
import { defineWords } from './define-words.ts';
import { useWords } from './words.ts';

/** What the codes of the interface are called: types of orders, modes of batches, and roles of operators. */
const codeNames = defineWords({
  en: {
    new_buy: 'purchase',
    delete_asset: 'revoke assets',
    delete_product: 'revoke products',
    async: 'answered before it is carried out',
    sync: 'answered when it is carried out',
    viewer: 'viewer',
    support: 'support',
    admin: 'admin',
  },
  zh: {
    new_buy: '购买',
    delete_asset: '撤销资产',
    delete_product: '撤销产品',
    async: '异步，接收后即应答',
    sync: '同步，执行完再应答',
    viewer: '查看者',
    support: '支持',
    admin: '管理员',
  },
});

/** Says what a code is called, with the code beside it: `purchase (new_buy)`. An unknown code stands alone. */
export function useCodeNames(): (code: string) => string {
  const names: Record<string, string> = useWords(codeNames);
  return useCallback(
    (code) => {
      const name = names[code];
      return name === undefined || name === code ? code : `${name} (${code})`;
    },
    [names],
  );
}
