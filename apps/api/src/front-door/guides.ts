/** A page of the documentation, as a person reads it at /guides. */
export interface Guide {
  /** Its name in the address: /guides/api. */
  slug: string;
  /** Where it is in the repository. */
  file: string;
}

/** The pages of the documentation, in the order in which they are listed; words.ts says for whom each is. */
export const GUIDES = [
  { slug: 'readme', file: 'README.md' },
  { slug: 'tutorial', file: 'docs/tutorial.md' },
  { slug: 'console', file: 'docs/console.md' },
  { slug: 'api', file: 'docs/api.md' },
  { slug: 'outcomes', file: 'docs/outcomes.md' },
  { slug: 'operations', file: 'docs/operations.md' },
  { slug: 'security', file: 'docs/security.md' },
  { slug: 'interface', file: 'docs/interface.md' },
  { slug: 'rules', file: 'docs/rules.md' },
  { slug: 'architecture', file: 'docs/architecture.md' },
  { slug: 'scaling', file: 'docs/scaling.md' },
  { slug: 'performance', file: 'docs/performance.md' },
  { slug: 'testing', file: 'docs/testing.md' },
  { slug: 'changelog', file: 'CHANGELOG.md' },
] as const satisfies readonly Guide[];

export type GuideSlug = (typeof GUIDES)[number]['slug'];
