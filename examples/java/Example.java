import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.*;
import java.nio.file.*;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;
import java.util.stream.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Submits batches to Lockstep, follows its event feed and receives its webhooks with Java's standard library. */
public class Example {
  /** After these causes the same call can succeed (x-retryable in /openapi.json). Any other cause is final. */
  static final Set<String> REPEATED = Set.of("overloaded", "channel_paused", "request_timeout", "secrets_exhausted",
      "token_invalid", "service_unavailable", "outcome_unknown", "nonce_replayed", "temporarily_unavailable");
  static final int ATTEMPTS = 6;
  static final int TOLERANCE_SECONDS = 5 * 60;
  static final int MAX_WEBHOOK_BYTES = 100_000;

  static final HttpClient client = HttpClient.newHttpClient();
  static String baseUrl, appKey, appSecret, token;
  static long tokenEnds = System.nanoTime();

  /** The service refused a call. Programs use the word; people read the message. */
  static class Refused extends Exception {
    final Object word;

    Refused(Object word, Object message) {
      super(word + ": " + message);
      this.word = word;
    }
  }

  /** Returns the data of an operation: GET, or POST with a body. Throws IOException if no attempt gets an answer. */
  static Object call(String path, Map<String, ?> query, byte[] body) throws Exception {
    var search = "?appKey=" + appKey + "&" + encode(query);
    var answer = send("/order/api/order/v1" + path + search, "application/json", body);
    // HTTP clients treat status 299 as a success, so the code decides.
    if (!BigDecimal.ZERO.equals(answer.get("code"))) throw new Refused(answer.get("cause"), answer.get("message"));
    return answer.get("data");
  }

  static String token() throws Exception {
    if (System.nanoTime() - tokenEnds < 0) return token;
    var form = encode(Map.of("grant_type", "client_credentials", "client_id", appKey, "client_secret", appSecret));
    var answer = send("/oauth2/token?", "application/x-www-form-urlencoded", form.getBytes(UTF_8));
    token = (String) answer.get("access_token");
    if (token == null) throw new Refused(answer.get("error"), answer.get("error_description"));
    tokenEnds = System.nanoTime() + TimeUnit.SECONDS.toNanos(((BigDecimal) answer.get("expires_in")).longValue() - 60);
    return token;
  }

  /** Sends a call until its answer is final, which it returns. */
  static Map<?, ?> send(String path, String type, byte[] body) throws Exception {
    // The same key for each attempt: whatever the operation, it takes effect once.
    var key = UUID.randomUUID().toString();
    for (int attempt = 1; ; attempt++) {
      double seconds = Math.min(30, 1 << (attempt - 1)) * ThreadLocalRandom.current().nextDouble(0.5, 1);
      // A nonce is valid once, so each attempt needs a new one.
      var request = HttpRequest.newBuilder(URI.create(baseUrl + path + "&g_nonce=" + UUID.randomUUID()));
      request.headers("Content-Type", type, "Idempotency-Key", key);
      if (!path.startsWith("/oauth2/")) request.header("Authorization", "Bearer " + token());
      if (body != null) request.POST(HttpRequest.BodyPublishers.ofByteArray(body));
      String fault = null;
      try {
        // The timeout of a request would not include its body.
        var sent = client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
        var response = sent.get(60, TimeUnit.SECONDS);
        fault = "HTTP " + response.statusCode();
        var told = response.headers().firstValue("Retry-After").filter(text -> text.matches("\\d{1,9}")).orElse("0");
        seconds = Math.max(seconds, Integer.parseInt(told));
        var answer = (Map<?, ?>) parse(response.body());
        var isCall = !path.startsWith("/oauth2/");
        if ((isCall ? Stream.of("code") : Stream.of("error", "access_token")).anyMatch(answer::containsKey)) {
          fault = String.valueOf(answer.get(isCall ? "cause" : "error"));
          if (!REPEATED.contains(fault)) return answer;
        }
        if (fault.equals("token_invalid")) tokenEnds = System.nanoTime();
      } catch (ExecutionException | TimeoutException error) {
        // No answer, or a part of one.
        fault = error.toString();
      } catch (RuntimeException error) {
        // The answer of a proxy, whose status says why.
      }
      if (attempt == ATTEMPTS) throw new IOException(baseUrl + " could not be used: " + fault);
      System.err.printf("%s; retrying in %.1f s%n", fault, seconds);
      Thread.sleep((long) (seconds * 1_000));
    }
  }

  static String encode(Map<String, ?> fields) {
    return fields.entrySet().stream()
        .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue().toString(), UTF_8))
        .collect(Collectors.joining("&"));
  }

  /** Submits a batch, waits for its outcome, and prints what failed. */
  static void submit(Path file) throws Exception {
    var body = Files.readAllBytes(file);
    var batch = (Map<?, ?>) parse(new String(body, UTF_8));
    call("/licenseOrder/batchOrder", Map.of(), body);
    var query = new HashMap<String, Object>(Map.of("state", "failed", "waitSeconds", 30, "cursor", ""));
    for (var name : List.of("channelCode", "channelOrderId")) query.put(name, batch.get(name));
    Map<?, ?> result = null;
    while (query.get("cursor") != null) {
      result = (Map<?, ?>) call("/licenseOrder/batchOrder", query, null);
      if (!result.get("state").equals("completed")) continue;
      for (var order : maps(result.get("orders"))) {
        System.out.printf("order %s: %s: %s%n", order.get("sequence"), order.get("cause"), order.get("message"));
      }
      query.put("cursor", result.get("nextCursor"));
    }
    var totals = new Object[] {batch.get("channelOrderId"), result.get("succeeded"), result.get("failed")};
    System.out.printf("%s: %s succeeded, %s failed%n", totals);
  }

  /** Prints the ends of batches after the position in a file. Store the position together with what you do. */
  static void follow(Path file) throws Exception {
    var after = Files.exists(file) ? Files.readString(file) : "";
    while (true) {
      var feed = (Map<?, ?>) call("/events", Map.of("after", after, "waitSeconds", 30), null);
      for (var event : maps(feed.get("events"))) {
        // Later releases can add types.
        if (!Set.of("batch.completed", "batch.retried").contains(event.get("type"))) continue;
        var id = ((Map<?, ?>) event.get("data")).get("channelOrderId");
        System.out.println(event.get("id") + " " + event.get("type") + " " + id);
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
      for (var claim : Objects.requireNonNullElse(headers.getFirst("webhook-signature"), "").split(" ")) {
        if (MessageDigest.isEqual(expected.getBytes(UTF_8), claim.getBytes(UTF_8))) return true;
      }
    }
    return false;
  }

  static void receive() throws Exception {
    // While a secret is rotated there are two, separated by a space.
    var secrets = System.getenv().getOrDefault("WEBHOOK_SECRET", "").trim().split("\\s+");
    var keys = Stream.of(secrets).map(text -> Base64.getDecoder().decode(text.replaceFirst("^whsec_", ""))).toList();
    // With an empty key, anyone could sign.
    if (keys.stream().anyMatch(key -> key.length < 24)) throw new IOException("Set WEBHOOK_SECRET to a whole secret.");
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
        throw new IOException(error);
      }
    });
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    System.out.println("Listening on port " + server.getAddress().getPort());
  }

  static final Pattern TOKEN = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"|[\\[\\]{}]|[^\\s\\[\\]{}:,\"]+");
  static final Pattern ESCAPE = Pattern.compile("\\\\(?:u(.{4})|(.))");

  /** Reads JSON, for which Java has no library: as maps, lists, strings, BigDecimals, booleans and null. */
  static Object parse(String json) {
    return read(TOKEN.matcher(json).results().map(MatchResult::group).iterator());
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

  static List<Map<?, ?>> maps(Object list) {
    return ((List<?>) list).stream().<Map<?, ?>>map(each -> (Map<?, ?>) each).toList();
  }

  /** Takes address and credentials from one source, so that no secret goes to the address of another service. */
  static void readService() throws IOException {
    var names = List.of("LOCKSTEP_BASE_URL", "LOCKSTEP_APP_KEY", "LOCKSTEP_APP_SECRET");
    var given = names.stream().map(name -> System.getenv().getOrDefault(name, "")).toList();
    var file = Path.of(System.getenv().getOrDefault("DATA_DIR", ".lockstep"), "demo.json");
    if (given.stream().allMatch(String::isEmpty) && Files.exists(file)) {
      var demo = (Map<?, ?>) parse(Files.readString(file));
      given = Stream.of("baseUrl", "appKey", "appSecret").map(name -> (String) demo.get(name)).toList();
    }
    if (given.contains("")) throw new IOException("Set " + String.join(", ", names) + ", or start the demo.");
    baseUrl = given.get(0);
    appKey = given.get(1);
    appSecret = given.get(2);
  }

  public static void main(String[] arguments) throws Exception {
    try {
      var command = arguments.length == 0 ? "" : arguments[0];
      if (!command.equals("receive")) readService();
      if (command.equals("receive")) receive();
      else if (command.equals("submit") && arguments.length == 2) submit(Path.of(arguments[1]));
      else if (command.equals("follow") && arguments.length == 2) follow(Path.of(arguments[1]));
      else throw new IOException("Usage: java Example.java submit BATCH.json | follow POSITION.txt | receive");
    } catch (Refused | IOException error) {
      System.err.println(error.getMessage());
      System.exit(1);
    }
  }
}
