import java.io.FileInputStream
import java.security.KeyStore
import java.security.cert.CertificateFactory
import javax.net.ssl.SSLContext
import javax.net.ssl.TrustManagerFactory
import javax.net.ssl.X509TrustManager
import kotlin.system.exitProcess
import okhttp3.OkHttpClient
import org.openapitools.client.apis.AutomationsApi
import org.openapitools.client.apis.HouseApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.models.*
import retrofit2.Call

/** A client in Kotlin with classes of openapi-generator. */
fun main() {
  // Unset fields are left out instead of sent as null.
  Serializer.kotlinxSerializationJsonConfiguration = { explicitNulls = false }
  val client =
      ApiClient(baseUrl = System.getenv("HM_URL"), okHttpClientBuilder = clientThatTrusts(System.getenv("HM_CA")))
  val house = client.createService(HouseApi::class.java).houseGet().answer()
  val dimmer =
      (house.floors.flatMap { it.rooms } + house.rooms).flatMap { it.units }.first { it.propertyClass == "light_dimmer" }
  val state = (dimmer.state as State.DimmerStateValue).value

  val automations = client.createService(AutomationsApi::class.java)
  val step =
      SetBrightnessStep(device = dimmer.id, op = SetBrightnessStep.Op.set_brightness, args = BrightnessArgs(bri = 40))
  val made =
      automations
          .automationsCreate(
              AutomationCreate(
                  name = "Made in Kotlin",
                  `when` = listOf(Trigger.TimeTriggerValue(TimeTrigger(time = "07:00", days = setOf(Weekday._1, Weekday._7)))),
                  `if` = listOf(Condition.WindowConditionValue(WindowCondition(after = "sunset"))),
                  then = listOf(Step.SetBrightnessStepValue(step)),
              )
          )
          .answer()
          .automation

  val read = automations.automationsGet(id = made.id).answer().automation
  val sent =
      automations
          .automationsEdit(
              id = read.id,
              automationEdit =
                  AutomationEdit(
                      ifRevision = read.revision,
                      id = read.id,
                      revision = read.revision,
                      origin = read.origin,
                      paused = read.paused,
                      name = read.name,
                      enabled = read.enabled,
                      `when` = read.`when`,
                      `if` = read.`if`,
                      then = read.then,
                      mode = read.mode,
                  ),
          )
          .answer()
          .automation
  val stepped = (sent.then.first() as Step.SetBrightnessStepValue).value
  println("""{"brightness": ${state.bri}, "stepped": ${stepped.args.bri}}""")
  exitProcess(0)
}

fun <T> Call<T>.answer(): T = execute().let { it.body() ?: error(it.errorBody()?.string() ?: it.message()) }

fun clientThatTrusts(ca: String): OkHttpClient.Builder {
  val store = KeyStore.getInstance(KeyStore.getDefaultType()).apply { load(null) }
  FileInputStream(ca).use { store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(it)) }
  val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm()).apply { init(store) }
  val tls = SSLContext.getInstance("TLSv1.3").apply { init(null, trust.trustManagers, null) }
  return OkHttpClient.Builder()
      .sslSocketFactory(tls.socketFactory, trust.trustManagers.first() as X509TrustManager)
      .addInterceptor { chain ->
        val token = "Bearer ${System.getenv("HM_TOKEN")}"
        chain.proceed(chain.request().newBuilder().header("Authorization", token).build())
      }
}
