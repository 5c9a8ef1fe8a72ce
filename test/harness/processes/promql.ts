import { parser } from '@prometheus-io/lezer-promql';

/** The labels of a series with the values that it has; none if they are not known. */
type Labels = Map<string, Set<string>>;
/** All series that Prometheus can have, by name. */
export type Series = Map<string, Labels>;

type Node = ReturnType<typeof parser.parse>['topNode'];

function* childrenOf(node: Node): Generator<Node> {
  for (let child = node.firstChild; child !== null; child = child.nextSibling) yield child;
}

/**
 * Reads an expression, with Grafana's variables. `labels`: those of its result, as far as a legend can name them.
 * `faults`: what is no PromQL, and series, labels and values that Prometheus can't have.
 */
export function readExpression(expression: string, series: Series): { labels: Set<string>; faults: string[] } {
  const text = expression.replaceAll('$__rate_interval', '5m').replaceAll(/\$(namespace|channel)/g, '.*');
  const textOf = ({ from, to }: Node) => text.slice(from, to);
  const faults: string[] = [];

  function select(node: Node): Set<string> {
    const name = textOf(node.getChild('Identifier') ?? node);
    const labels: Labels = series.get(name) ?? new Map();
    if (!series.has(name)) faults.push(`no series ${name}`);
    for (const matcher of node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []) {
      const label = textOf(matcher.getChild('LabelName')!);
      const values = labels.get(label);
      if (values === undefined) faults.push(`no label ${label} of ${name}`);
      const [, pattern] = /"(.*)"/.exec(textOf(matcher))!;
      if (values === undefined || values.size === 0) continue;
      for (const part of pattern!.split('|')) {
        if (!values.values().some((value) => new RegExp(`^(${part})$`).test(value))) faults.push(`no ${label} ${part}`);
      }
    }
    return new Set(labels.keys());
  }

  /** Returns the labels that a clause such as `by (channel)` keeps, all of which its operands must have. */
  function narrow(clause: Node, operands: Set<string>[]): Set<string> {
    const named = [...childrenOf(clause)].flatMap((each) => each.getChildren('LabelName').map(textOf));
    for (const label of named) {
      if (!operands.every((labels) => labels.has(label))) faults.push(`no label ${label} for ${textOf(clause)}`);
    }
    return new Set(named);
  }

  function labelsOf(node: Node): Set<string> {
    if (node.type.isError) faults.push(`no PromQL from ${node.from} on`);
    if (node.name === 'VectorSelector') return select(node);
    const children = [...childrenOf(node)].filter(({ name }) => !name.endsWith('Modifier') && !name.endsWith('Clause'));
    const operands = children.map(labelsOf).filter((labels) => labels.size > 0);
    if (node.name === 'AggregateExpr') return narrow(node.getChild('AggregateModifier') ?? node, operands);
    const clause = node.getChild('MatchingModifierClause');
    if (clause !== null) narrow(clause, operands);
    return operands.reduce((all, labels) => all.union(labels), new Set());
  }
  return { labels: labelsOf(parser.parse(text).topNode), faults };
}
