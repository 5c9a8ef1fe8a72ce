import type { ReactNode } from 'react';
import styles from './Tree.module.css';

/** Something that may hold others. */
export interface TreeNode {
  key: string;
  /** One line that names it. */
  label: ReactNode;
  /** What is known of it, below its name. */
  detail?: ReactNode;
  nodes?: readonly TreeNode[];
  /** Whether what it holds is shown at first; true where absent. */
  isOpen?: boolean;
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

function Branch({ node: { label, detail, nodes = [], isOpen = true } }: { node: TreeNode }) {
  if (nodes.length === 0) {
    return (
      <div className={styles.leaf}>
        <div>{label}</div>
        {detail !== undefined && <div className={styles.detail}>{detail}</div>}
      </div>
    );
  }
  return (
    <details open={isOpen}>
      <summary>{label}</summary>
      {detail !== undefined && <div className={styles.detail}>{detail}</div>}
      <Tree nodes={nodes} />
    </details>
  );
}
