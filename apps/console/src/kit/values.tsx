import { type ReactNode, useId, useState } from 'react';
import { kitWords } from '../words/kit.ts';
import { useWords } from '../words/words.ts';
import copyIdStyles from './CopyId.module.css';
import fieldsStyles from './Fields.module.css';
import jsonViewStyles from './JsonView.module.css';
import { announce, CopyIcon, FoldIcon } from './signs.tsx';
import treeStyles from './Tree.module.css';

/** A label and a value. Undefined hides the field; null shows a dash. */
export interface Field {
  label: string;
  value: ReactNode;
}

/** A list of labels and values. */
export function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <dl className={fieldsStyles.fields}>
      {fields
        .filter(({ value }) => value !== undefined)
        .map(({ label, value }) => (
          <div key={label} className={fieldsStyles.field}>
            <dt>{label}</dt>
            <dd>{value === null || value === '' ? '–' : value}</dd>
          </div>
        ))}
    </dl>
  );
}

/**
 * An id with a copy button. `children` replace the text, for example with a link: `<CopyId id={orderId} what="order
 * ID"><Link …>{orderId}</Link></CopyId>`.
 */
export function CopyId({ id, what, children }: { id: string; what?: string; children?: ReactNode }) {
  return (
    <span className={copyIdStyles.whole}>
      <span className={copyIdStyles.id}>{children ?? id}</span>
      <CopyButton text={id} what={what ?? id} />
    </span>
  );
}

/** A button that copies text to the clipboard. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const words = useWords(kitWords);
  const copy = () =>
    copyText(text).then(
      () => announce('good', words.copied),
      () => announce('bad', words.copyFailed),
    );
  const label = words.copyNamed(what);
  return (
    <button type="button" className={copyIdStyles.copy} onClick={() => void copy()} aria-label={label} title={label}>
      <CopyIcon />
    </button>
  );
}

/** Copies through a selection, because browsers offer the clipboard only over TLS and on localhost. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (!isCopied) throw new Error('not copied');
}

/** A value as JSON, with a copy button. `label` names it. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  return (
    <div className={jsonViewStyles.json}>
      <div className={jsonViewStyles.copy}>
        <CopyButton text={text} what={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be a second landmark of its name. */}
      <div className={jsonViewStyles.text} role="group" tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </div>
    </div>
  );
}

export interface TreeNode {
  key: string;
  label: ReactNode;
  /** Shown below the label. */
  detail?: ReactNode;
  nodes?: readonly TreeNode[];
}

/** A tree of collapsible nested lists. */
export function Tree({ nodes, label }: { nodes: readonly TreeNode[]; label?: string }) {
  return (
    <ul className={treeStyles.tree} {...(label === undefined ? {} : { 'aria-label': label })}>
      {nodes.map((node) => (
        <li key={node.key}>
          <Branch node={node} />
        </li>
      ))}
    </ul>
  );
}

/** A button collapses it, not `<summary>`, because the label may contain links and buttons. */
function Branch({ node: { label, detail, nodes = [] } }: { node: TreeNode }) {
  const [isOpen, setOpen] = useState(true);
  const nameId = useId();
  const isLeaf = nodes.length === 0;
  return (
    <div className={treeStyles.branch}>
      {!isLeaf && (
        <button
          type="button"
          className={treeStyles.fold}
          aria-expanded={isOpen}
          aria-labelledby={nameId}
          onClick={() => setOpen(!isOpen)}
        >
          <FoldIcon />
        </button>
      )}
      <div id={nameId} className={isLeaf ? undefined : treeStyles.holder}>
        {label}
      </div>
      {detail !== undefined && <div className={treeStyles.detail}>{detail}</div>}
      {!isLeaf && isOpen && <Tree nodes={nodes} />}
    </div>
  );
}
