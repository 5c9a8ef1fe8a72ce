import { useCallback } from 'react';
import { defineWords } from './define-words.ts';
import { useLanguage } from './languages.ts';
import { useWords } from './words.ts';

/** Names for codes of the interface: order types, batch modes and operator roles. */
const codeNames = defineWords({
  new_buy: ['Purchase', '购买'],
  delete_asset: ['Revoke assets', '撤销资产'],
  delete_product: ['Revoke products', '撤销产品'],
  async: ['Responds on acceptance', '异步，受理后返回'],
  sync: ['Responds when applied', '同步，执行完成后返回'],
  viewer: ['viewer', '只读'],
  support: ['support', '技术支持'],
  admin: ['admin', '系统管理员'],
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
