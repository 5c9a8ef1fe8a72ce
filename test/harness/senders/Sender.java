import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.Executors;

/** Sends POST calls with Java's HttpClient. Arguments and output are those of sender.mjs. */
public class Sender {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  public static void main(String[] args) throws Exception {
    byte[] body = new byte[Integer.parseInt(args[3])];
    Arrays.fill(body, (byte) ' ');
    body[0] = '{';
    body[1] = '}';
    var pool = Executors.newFixedThreadPool(Integer.parseInt(args[2]));
    for (int sent = 0; sent < Integer.parseInt(args[1]); sent++) {
      pool.submit(() -> {
        System.out.println(call(args, body));
        return null;
      });
    }
    pool.shutdown();
  }

  private static String call(String[] args, byte[] body) throws InterruptedException {
    var url = URI.create(args[0].replace("NONCE", UUID.randomUUID().toString()));
    var request = HttpRequest.newBuilder(url).POST(publisher(args[4], body));
    for (int index = 5; index < args.length; index++) {
      var line = args[index].split(": ", 2);
      request.header(line[0], line[1]);
    }
    try {
      var response = CLIENT.send(request.build(), BodyHandlers.ofString());
      return response.statusCode() + " " + response.body();
    } catch (IOException error) {
      return "lost " + error;
    }
  }

  private static BodyPublisher publisher(String how, byte[] body) {
    if (how.equals("whole")) return BodyPublishers.ofByteArray(body);
    return BodyPublishers.ofInputStream(() -> new Pieces(body, how.equals("slow")));
  }

  private static class Pieces extends InputStream {
    private final byte[] body;
    private final boolean isSlow;
    private int start = 0;

    Pieces(byte[] body, boolean isSlow) {
      this.body = body;
      this.isSlow = isSlow;
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) {
      if (start == body.length) return -1;
      if (isSlow) {
        try {
          Thread.sleep(50);
        } catch (InterruptedException error) {
          return -1;
        }
      }
      int size = Math.min(Math.min(length, isSlow ? 1024 : 65536), body.length - start);
      System.arraycopy(body, start, buffer, offset, size);
      start += size;
      return size;
    }
  }
}
