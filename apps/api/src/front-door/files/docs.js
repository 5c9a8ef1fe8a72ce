// The script of /docs: sets up Swagger UI and adds the parts of Lockstep.

/** The path of the service below its host: the part before /docs. */
const root = window.location.pathname.replace(/\/docs\/?$/, '');

/**
 * Completes a call: replaces the example g_nonce by a new one, so that a second call is no replay; fills in the appKey
 * of Authorize; and adds the three tokens of the member center.
 */
function prepareCall(call, findUi) {
  const nonce = `docs-${Date.now()}-${Math.random().toString(36).slice(2)}`;
  // Without credentials of the browser, which would otherwise prompt for a password after a wrong secret.
  call.credentials = 'omit';
  call.url = call.url.replace('g_nonce=a-new-one-for-every-call', `g_nonce=${nonce}`);
  const find = (...path) => findUi().authSelectors.authorized().getIn(path);
  if (call.url.includes('appKey=your-appKey')) {
    const key = find('application', 'clientId');
    if (key) call.url = call.url.replace('appKey=your-appKey', `appKey=${encodeURIComponent(key)}`);
  }
  if (call.url.includes('/me/api/v1/')) {
    const ofApplication = find('application', 'token', 'access_token');
    const ofUser = find('user', 'token', 'access_token');
    // The library supports one token per call, and has put the last one here.
    delete call.headers.Authorization;
    if (ofApplication)
      Object.assign(call.headers, { Authorization: `Bearer ${ofApplication}`, clientToken: ofApplication });
    if (ofUser) call.headers.userToken = ofUser;
  }
  return call;
}

/** Adds a bar with the name and links. */
function addBar() {
  const bar = document.createElement('header');
  const nav = document.createElement('nav');
  bar.className = 'lockstep-bar';
  nav.setAttribute('aria-label', 'Lockstep');
  const links = { Lockstep: '/', Console: '/console', Guides: '/guides', 'openapi.json': '/openapi.json' };
  for (const [words, path] of Object.entries(links)) {
    const link = document.createElement('a');
    link.href = root + path;
    link.textContent = words;
    nav.append(link);
  }
  bar.append(nav);
  document.body.prepend(bar);
}

/** Explains in the form of the application where its secret is and whether it has a token. */
function helpToAuthorize({ React }) {
  const { createElement, useEffect, useRef } = React;
  const withHelp = (Form) => (props) => {
    const { name, authSelectors, specSelectors } = props;
    const isAuthorized = authSelectors.authorized().has(name);
    const place = useRef(null);
    // The library focuses the form below, which most calls do not need.
    useEffect(() => {
      if (name !== 'application') return;
      const secret = place.current.querySelector('#client_secret_clientCredentials');
      setTimeout(() => {
        place.current?.closest('.modal-ux-content')?.scrollTo(0, 0);
        secret?.focus();
      });
    }, [name, isAuthorized]);
    if (name !== 'application') return createElement(Form, props);
    const file = specSelectors.specJson().get('x-demo-file');
    const where = file === undefined ? 'the secret of your application' : `appSecret from ${file}`;
    const words = isAuthorized
      ? 'You are authorized for the order module. Close this dialog and try a call.'
      : `client_secret: paste ${where}.`;
    const help = createElement(
      'p',
      { className: 'lockstep-help', role: 'status', 'data-authorized': String(isAuthorized) },
      words,
    );
    return createElement('div', { ref: place }, help, createElement(Form, props));
  };
  /** Asks for the secret if it is empty, instead of sending a request that must fail. */
  const askForSecret =
    (authorize, { errActions }) =>
    (auth) => {
      errActions.clear({ authId: auth.name, type: 'auth', source: 'auth' });
      if (auth.clientSecret !== '') return authorize(auth);
      const message = 'client_secret is empty. Fill it in.';
      return errActions.newAuthErr({ authId: auth.name, level: 'error', source: 'auth', message });
    };
  const wrapActions = { authorizeApplication: askForSecret, authorizePassword: askForSecret };
  return { wrapComponents: { oauth2: withHelp }, statePlugins: { auth: { wrapActions } } };
}

window.addEventListener('load', () => {
  addBar();
  const isDark = window.matchMedia('(prefers-color-scheme: dark)');
  const followScheme = () => document.documentElement.classList.toggle('dark-mode', isDark.matches);
  isDark.addEventListener('change', followScheme);
  followScheme();
  const ui = window.SwaggerUIBundle({
    dom_id: '#swagger-ui',
    url: `${root}/docs/json`,
    // Without the bar of the library, in which any address could be typed.
    layout: 'BaseLayout',
    deepLinking: true,
    validatorUrl: null,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    presets: [window.SwaggerUIBundle.presets.apis],
    plugins: [helpToAuthorize],
    requestInterceptor: (call) => prepareCall(call, () => ui),
    onComplete: () => {
      const clientId = ui.specSelectors.specJson().get('x-app-key');
      ui.initOAuth({ appName: 'Lockstep', ...(clientId !== undefined && { clientId }) });
    },
  });
});
