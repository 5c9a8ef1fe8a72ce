import { type ReactNode, useId, useState } from 'react';
import { FoldIcon } from '../signs/icons.tsx';
import styles from './Tree.module.css';

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
    <ul className={styles.tree} {...(label === undefined ? {} : { 'aria-label': label })}>
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
    <div className={styles.branch}>
      {!isLeaf && (
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isOpen}
          aria-labelledby={nameId}
          onClick={() => setOpen(!isOpen)}
        >
          <FoldIcon />
        </button>
      )}
      <div id={nameId} className={isLeaf ? undefined : styles.holder}>
        {label}
      </div>
      {detail !== undefined && <div className={styles.detail}>{detail}</div>}
      {!isLeaf && isOpen && <Tree nodes={nodes} />}
    </div>
  );
}
