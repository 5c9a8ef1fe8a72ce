import { submitCommand } from '../demo-command.ts';
import type { Demo } from '../options.ts';
import { html } from './html.ts';
import type { Language } from './language.ts';
import { keepLanguage, layOut } from './layout.ts';
import { fill, WORDS } from './words.ts';

interface FrontPage {
  language: Language;
  switched: Language | null;
  /** Null in a deployment. */
  demo: Demo | null;
  /** Why the service is not ready; null if it is. */
  fault: string | null;
}

/** Renders the page at `/`: what Lockstep is, whether it is ready, and where to go. */
export function frontPage({ language, switched, demo, fault }: FrontPage): string {
  const words = WORDS[language];
  const places: [address: string, title: string, forWhom: string][] = [
    ['console', words.console, words.consoleFor],
    ['docs', words.docs, words.docsFor],
    [keepLanguage('guides', switched), words.guides, words.guidesFor],
    ['health/ready', words.health, words.healthFor],
  ];
  const main = html`<h1>Lockstep</h1>
<p class="lead">${words.lead}</p>
<p class="state ${fault === null ? 'good' : 'bad'}">${fault === null ? words.ready : fill(words.notReady, fault)}</p>
<h2>${words.whereToGo}</h2>
<ul class="places">
${places.map(([address, title, forWhom]) => html`<li><a href="./${address}">${title}</a><p>${forWhom}</p></li>\n`)}</ul>
${demo === null ? '' : firstBatch(demo, language)}`;
  return layOut({ title: 'Lockstep', language, switched, root: './', main });
}

function firstBatch({ operatorName, file }: Demo, language: Language) {
  const words = WORDS[language];
  const [beforeConsole = '', afterConsole = ''] = words.logIn.split('{0}');
  return html`<h2>${words.firstBatch}</h2>
<p>${words.demo}</p>
<ol>
<li>${words.sendBatch}<pre tabindex="0"><code>${submitCommand(file)} examples/first-batch.json</code></pre></li>
<li>${beforeConsole}<a href="./console">${words.console}</a>${fill(afterConsole, '', operatorName, 'operatorPassword', file)}</li>
<li>${words.lookUp}</li>
</ol>`;
}
