import { type ReactNode, useId, useState } from 'react';
import { FoldIcon } from '../signs/icons.tsx';
import styles from './Tree.module.css';

/** Something that may hold others. */
export interface TreeNode {
  key: string;
  /** One line that names it. */
  label: ReactNode;
  /** What is known of it, below its name. */
  detail?: ReactNode;
  nodes?: readonly TreeNode[];
}

/** Things that hold others, as nested lists which can be folded. */
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

/** Its name may hold links and buttons: so it folds by a button beside it, and not as the summary of its details. */
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
