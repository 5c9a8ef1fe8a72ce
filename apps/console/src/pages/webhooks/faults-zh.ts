/** Why an attempt failed, in Chinese, by the service's words. */
const faultsInChinese = new Map(
  Object.entries({
    'the host refused the connection': '主机拒绝连接',
    "the host's certificate is self-signed": '主机证书是自签名证书',
    "the host's certificate is not signed by a trusted authority": '主机证书不是由受信任的机构签发',
    "the host's certificate has expired": '主机证书已过期',
    "the host's certificate is for another host": '主机证书与主机名不符',
    'the TLS handshake failed': 'TLS 握手失败',
    'the response is not HTTP': '响应不是 HTTP',
    'no response within 15 seconds': '15 秒内无响应',
    'three 1xx responses came before a final status': '在最终状态码之前收到了三个 1xx 响应',
    'the response headers are too large': '响应头过大',
    'the URL must start with https://': 'URL 必须以 https:// 开头',
    'the endpoint closed the connection without a response': '端点未响应就关闭了连接',
    'the host could not be reached; check that its name resolves to a public address':
      '无法连接主机。请检查域名是否解析到公网地址',
    'the endpoint responded {0}; redirects are not followed': '端点返回 {0}，不支持重定向',
    'the endpoint responded {0}': '端点返回 {0}',
    'the endpoint responded {0} Gone': '端点返回 {0} Gone',
    'the message could not be sent': '消息发送失败',
  }),
);

/** Returns why an attempt failed in Chinese, by the service's words, in which `{0}` stands for the status. */
export function translateFault(fault: string, status: number | null): string {
  const known = faultsInChinese.get(fault.replace(String(status), '{0}'));
  return known?.replace('{0}', String(status)) ?? fault;
}
