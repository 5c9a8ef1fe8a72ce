import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

const STYLE =
  ':root { background: Canvas; } body { font: 1rem/1.6 system-ui, sans-serif; margin: 2rem auto; max-width: 40rem; padding: 0 1rem; }';

/** The content security policy of the page: its own style, and nothing else. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Lockstep</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Lockstep</h1>
<p>Lockstep receives license orders from many sales channels, applies each exactly once and in the right order for its
customer, and never loses an outcome.</p>
<p lang="zh">Lockstep 受理各销售渠道的授权订单，确保每个订单只生效一次、同一客户的订单依次生效、结果绝不丢失。</p>
<ul>
<li><a href="./console">Console <span lang="zh">控制台</span></a>: for operators and support.
<span lang="zh">面向操作员和技术支持。</span></li>
<li><a href="./docs">API reference <span lang="zh">API 参考</span></a>: for integrators, with examples that you can run.
<span lang="zh">面向集成开发人员，附有可在线调用的示例。</span></li>
<li><a href="./openapi.json">OpenAPI description <span lang="zh">OpenAPI 描述</span></a>: for programs.
<span lang="zh">面向程序。</span></li>
<li><a href="./health/ready">Health <span lang="zh">健康状态</span></a>: for monitoring.
<span lang="zh">面向监控系统。</span></li>
<li>Guides: <code>README.md</code> and the pages in <code>docs/</code> of the repository.
<span lang="zh">文档（英文）：见代码仓库的 <code>README.md</code> 和 <code>docs/</code>。</span></li>
</ul>
</main>
</body>
</html>
`;

/** Registers `/`: what Lockstep is and where to go, in both languages. */
export async function frontPage(server: FastifyInstance): Promise<void> {
  server.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: async (_request, reply) =>
      reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(PAGE),
  });
}
