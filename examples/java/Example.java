import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.*;
import java.math.BigDecimal;
import java.net.*;
import java.net.http.*;
import java.nio.file.*;
import java.security.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;
import java.util.stream.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Submits batches to Lockstep, follows its event feed and receives its webhooks with Java's standard library. */
public class Example {
  /** After these codes and causes, the same call can succeed later (docs/integrating.md). Any other is final. */
  static final Set<String> RETRYABLE =
      Set.of("408", "425", "429", "500", "502", "503", "504", "token_invalid", "nonce_replayed");
  static final int ATTEMPTS = 6, FOREVER = Integer.MAX_VALUE;
  static final int TOLERANCE_SECONDS = 5 * 60;
  static final int MAX_WEBHOOK_BYTES = 100_000;

  static final HttpClient client = HttpClient.newHttpClient();
  static String baseUrl, appKey, appSecret, token;
  static long tokenEnds = System.nanoTime();

  /** What failed. The cause is for programs, the message for people. */
  static class Failed extends Exception {
    final String cause;

    Failed(String cause, Object message) {
      super(cause + ": " + message);
      this.cause = cause;
    }
  }

  /** Returns the data of an operation: GET, or POST with a body. Throws Failed if no attempt gets it. */
  static Object call(String path, Map<String, ?> query, byte[] body, int attempts) throws Exception {
    var search = "?appKey=" + appKey + "&" + encode(query);
    return send("/order/api/order/v1" + path + search, "application/json", body, attempts).get("data");
  }

  static String token(int attempts) throws Exception {
    if (System.nanoTime() - tokenEnds < 0) return token;
    var form = encode(Map.of("grant_type", "client_credentials", "client_id", appKey, "client_secret", appSecret));
    var answer = send("/oauth2/token?", "application/x-www-form-urlencoded", form.getBytes(UTF_8), attempts);
    token = (String) answer.get("access_token");
    tokenEnds = System.nanoTime() + TimeUnit.SECONDS.toNanos(((BigDecimal) answer.get("expires_in")).longValue() - 60);
    return token;
  }

  /** Sends a call until its answer is final. Returns the answer, or throws Failed if it is not a success. */
  static Map<?, ?> send(String path, String type, byte[] body, int attempts) throws Exception {
    // The same key for each attempt: whatever the operation, it takes effect once.
    var key = UUID.randomUUID().toString();
    for (int attempt = 1; ; attempt++) {
      double seconds = Math.min(30, Math.pow(2, attempt - 1)) * ThreadLocalRandom.current().nextDouble(0.5, 1);
      // A nonce is valid once, so each attempt needs a new one.
      var request = HttpRequest.newBuilder(URI.create(baseUrl + path + "&g_nonce=" + UUID.randomUUID()));
      request.headers("Content-Type", type, "Idempotency-Key", key);
      if (!path.startsWith("/oauth2/")) request.header("Authorization", "Bearer " + token(attempts));
      if (body != null) request.POST(HttpRequest.BodyPublishers.ofByteArray(body));
      var sent = client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
      Map<?, ?> answer;
      var status = 500;
      var text = "";
      try {
        // The timeout of a request would not include its body.
        var response = sent.get(60, TimeUnit.SECONDS);
        var told = response.headers().firstValue("Retry-After").filter(each -> each.matches("\\d{1,9}")).orElse("0");
        seconds = Math.max(seconds, Integer.parseInt(told));
        status = response.statusCode();
        text = response.body();
        answer = parse(text);
      } catch (ExecutionException | TimeoutException error) {
        sent.cancel(true);
        answer = Map.of("cause", "connection_failed", "message", baseUrl + ": " + first(error.getCause(), error));
      } catch (RuntimeException error) {
        var isPart = status < 300 && (text.isEmpty() || text.startsWith("{"));
        answer = isPart ? Map.of("code", "500", "message", "the answer was cut off") : Map.of();
      }
      // HTTP clients treat status 299 as a success, so the code decides. The answer with a token has none.
      var isSuccess = BigDecimal.ZERO.equals(answer.get("code")) || answer.containsKey("access_token");
      if (isSuccess && attempt > 1) System.err.println("Lockstep accepts calls again.");
      if (isSuccess) return answer;
      var code = first(answer.get("code"), status).toString();
      var cause = first(answer.get("cause"), answer.get("error"), "HTTP " + status).toString();
      var foreign = "not from Lockstep: %.80s".formatted(text.replaceAll("\\s+", " "));
      var failed = new Failed(cause, first(answer.get("message"), answer.get("error_description"), foreign));
      if (cause.equals("token_invalid")) tokenEnds = System.nanoTime();
      if (Collections.disjoint(RETRYABLE, List.of(code, cause)) || attempt == attempts) throw failed;
      if (attempt == 1) System.err.println(failed.getMessage() + "; retrying");
      Thread.sleep((long) (seconds * 1_000));
    }
  }

  static Object first(Object... values) {
    return Stream.of(values).filter(Objects::nonNull).findFirst().orElseThrow();
  }

  static String encode(Map<String, ?> fields) {
    return fields.entrySet().stream()
        .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue().toString(), UTF_8))
        .collect(Collectors.joining("&"));
  }

  /** Submits a batch, waits for its outcome, and prints what failed. */
  static void submit(Path file) throws Exception {
    readService();
    var body = Files.readAllBytes(file);
    call("/licenseOrder/batchOrder", Map.of(), body, ATTEMPTS);
    var batch = parse(new String(body, UTF_8));
    var query = new HashMap<String, Object>(Map.of("state", "failed", "waitSeconds", 30, "cursor", ""));
    for (var name : List.of("channelCode", "channelOrderId")) query.put(name, batch.get(name));
    Map<?, ?> result = null;
    while (query.get("cursor") != null) {
      result = (Map<?, ?>) call("/licenseOrder/batchOrder", query, null, FOREVER);
      if (!result.get("state").equals("completed")) continue;
      for (var each : (List<?>) result.get("orders")) {
        var order = (Map<?, ?>) each;
        System.out.printf("order %s: %s: %s%n", order.get("sequence"), order.get("cause"), order.get("message"));
      }
      query.put("cursor", result.get("nextCursor"));
    }
    var totals = new Object[] {batch.get("channelOrderId"), result.get("succeeded"), result.get("failed")};
    System.out.printf("%s: %s succeeded, %s failed%n", totals);
  }

  /** Prints the events after the position in a file. Store the position together with what you do. */
  static void follow(Path file) throws Exception {
    readService();
    var after = Files.exists(file) ? Files.readString(file) : "";
    while (true) {
      var feed = (Map<?, ?>) call("/events", Map.of("after", after, "waitSeconds", 30), null, FOREVER);
      for (var each : (List<?>) feed.get("events")) {
        var event = (Map<?, ?>) each;
        System.out.println(event.get("id") + " " + event.get("type") + " " + event.get("data"));
      }
      after = Objects.requireNonNullElse((String) feed.get("lastId"), "");
      Files.writeString(file, after);
    }
  }

  /** Whether a body was signed with a key within the last five minutes (Standard Webhooks). */
  static boolean isGenuine(List<byte[]> keys, Headers headers, byte[] body) throws GeneralSecurityException {
    var seconds = Objects.requireNonNullElse(headers.getFirst("webhook-timestamp"), "");
    if (!seconds.matches("\\d{1,12}")) return false;
    if (Math.abs(System.currentTimeMillis() / 1_000 - Long.parseLong(seconds)) > TOLERANCE_SECONDS) return false;
    for (var key : keys) {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((headers.getFirst("webhook-id") + "." + seconds + ".").getBytes(UTF_8));
      var expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
      var claims = Stream.of(Objects.requireNonNullElse(headers.getFirst("webhook-signature"), "").split(" "));
      if (claims.anyMatch(claim -> MessageDigest.isEqual(expected.getBytes(UTF_8), claim.getBytes(UTF_8)))) return true;
    }
    return false;
  }

  static void receive() throws Exception {
    // While a secret is rotated there are two, separated by a space. With an empty key, anyone could sign.
    var secrets = List.of(System.getenv().getOrDefault("WEBHOOK_SECRET", "").trim().split("\\s+"));
    if (!secrets.stream().allMatch(secret -> secret.matches("whsec_[A-Za-z0-9+/]{32,}=*"))) {
      throw new Failed("WEBHOOK_SECRET", "must be the secret of the webhook: whsec_ and at least 32 characters");
    }
    var keys = secrets.stream().map(secret -> Base64.getDecoder().decode(secret.replaceFirst("whsec_", ""))).toList();
    // In production, use a table: insert the id in the transaction that handles the message.
    var handled = ConcurrentHashMap.<String>newKeySet();
    var port = Integer.parseInt(System.getenv().getOrDefault("PORT", "9000"));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", exchange -> {
      try (exchange) {
        // The signature is of the bytes as they came.
        var body = exchange.getRequestBody().readNBytes(MAX_WEBHOOK_BYTES);
        var isGenuine = isGenuine(keys, exchange.getRequestHeaders(), body);
        var id = exchange.getRequestHeaders().getFirst("webhook-id");
        // A message can come more than once, with the same id.
        if (isGenuine && handled.add(id)) System.out.println(id + " " + new String(body, UTF_8));
        exchange.sendResponseHeaders(isGenuine ? 204 : 401, -1);
      } catch (GeneralSecurityException error) {
        throw new IllegalStateException(error);
      }
    });
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    System.out.println("Listening on port " + server.getAddress().getPort());
  }

  static final Pattern TOKEN = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"|[\\[\\]{}]|[^\\s\\[\\]{}:,\"\uFEFF]+");
  static final Pattern ESCAPE = Pattern.compile("\\\\(?:u(.{4})|(.))");

  /** Reads a JSON object, for which Java has no library: maps, lists, strings, BigDecimals, booleans and null. */
  static Map<?, ?> parse(String json) {
    return (Map<?, ?>) first(read(TOKEN.matcher(json).results().map(MatchResult::group).iterator()));
  }

  static Object read(Iterator<String> tokens) {
    var token = tokens.next();
    switch (token) {
      case "null":
        return null;
      case "true", "false":
        return token.equals("true");
      case "]", "}":
        return TOKEN;
      case "[":
        var list = new ArrayList<Object>();
        for (var item = read(tokens); item != TOKEN; item = read(tokens)) list.add(item);
        return list;
      case "{":
        var map = new HashMap<Object, Object>();
        for (var name = read(tokens); name != TOKEN; name = read(tokens)) map.put(name, read(tokens));
        return map;
      default:
        if (!token.startsWith("\"")) return new BigDecimal(token);
        return ESCAPE.matcher(token.substring(1, token.length() - 1)).replaceAll(escape -> {
          var unit = escape.group(1) == null ? escape.group(2) : "" + (char) Integer.parseInt(escape.group(1), 16);
          var index = escape.group(1) == null ? "bfnrt".indexOf(unit) : -1;
          return Matcher.quoteReplacement(index < 0 ? unit : "\b\f\n\r\t".substring(index, index + 1));
        });
    }
  }

  /** Takes address and credentials from one source, so that no secret goes to the address of another service. */
  static void readService() throws Exception {
    var names = List.of("LOCKSTEP_BASE_URL", "LOCKSTEP_APP_KEY", "LOCKSTEP_APP_SECRET");
    var given = names.stream().map(name -> System.getenv().getOrDefault(name, "")).toList();
    var file = Path.of(System.getenv().getOrDefault("DATA_DIR", ".lockstep"), "demo.json");
    if (given.stream().allMatch(String::isEmpty) && Files.exists(file)) {
      var demo = parse(Files.readString(file));
      given = Stream.of("baseUrl", "appKey", "appSecret").map(name -> (String) demo.get(name)).toList();
    }
    if (given.contains("") || !given.get(0).matches("https?://.*")) {
      throw new Failed(String.join(", ", names), "set all, an address with http:// or https://, or start the demo");
    }
    baseUrl = given.get(0).replaceFirst("/+$", "");
    appKey = given.get(1);
    appSecret = given.get(2);
  }

  public static void main(String[] arguments) {
    try {
      var command = arguments.length == 0 ? "" : arguments[0];
      if (command.equals("receive")) receive();
      else if (command.equals("submit") && arguments.length == 2) submit(Path.of(arguments[1]));
      else if (command.equals("follow") && arguments.length == 2) follow(Path.of(arguments[1]));
      else throw new Failed("usage", "java Example.java submit BATCH.json | follow POSITION.txt | receive");
    } catch (Exception error) {
      System.err.println(error instanceof Failed ? error.getMessage() : error);
      System.exit(1);
    }
  }
}
