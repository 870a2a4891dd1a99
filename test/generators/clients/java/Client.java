import java.io.FileInputStream;
import java.io.InputStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Stream;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.AutomationsApi;
import org.openapitools.client.api.HouseApi;
import org.openapitools.client.model.*;

/** A client in Java with classes of openapi-generator. */
public final class Client {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("HM_URL"));
    client.setBearerToken(System.getenv("HM_TOKEN"));
    try (InputStream ca = new FileInputStream(System.getenv("HM_CA"))) {
      client.setSslCaCert(ca);
    }

    House house = new HouseApi(client).houseGet().execute();
    Unit dimmer =
        Stream.concat(house.getFloors().stream().flatMap(floor -> floor.getRooms().stream()), house.getRooms().stream())
            .flatMap(room -> room.getUnits().stream())
            .filter(unit -> unit.getPropertyClass().equals("light_dimmer"))
            .findFirst()
            .orElseThrow();
    int brightness = dimmer.getState().getDimmerState().getBri();

    AutomationsApi automations = new AutomationsApi(client);
    SetBrightnessStep step =
        new SetBrightnessStep()
            .device(dimmer.getId())
            .op(SetBrightnessStep.OpEnum.SET_BRIGHTNESS)
            .args(new BrightnessArgs().bri(40));
    TimeTrigger trigger =
        new TimeTrigger().time("07:00").days(new LinkedHashSet<>(List.of(Weekday.NUMBER_1, Weekday.NUMBER_7)));
    Automation made =
        automations
            .automationsCreate(
                new AutomationCreate()
                    .name("Made in Java")
                    .when(List.of(new Trigger(trigger)))
                    ._if(List.of(new Condition(new WindowCondition().after("sunset"))))
                    .then(List.of(new Step(step))))
            .execute()
            .getAutomation();

    Automation read = automations.automationsGet(made.getId()).execute().getAutomation();
    Automation sent =
        automations
            .automationsEdit(
                read.getId(),
                new AutomationEdit()
                    .ifRevision(read.getRevision())
                    .id(read.getId())
                    .revision(read.getRevision())
                    .origin(read.getOrigin())
                    .paused(read.getPaused())
                    .name(read.getName())
                    .enabled(read.getEnabled())
                    .when(read.getWhen())
                    ._if(read.getIf())
                    .then(read.getThen())
                    .mode(read.getMode()))
            .execute()
            .getAutomation();
    int stepped = sent.getThen().get(0).getSetBrightnessStep().getArgs().getBri();
    System.out.printf("{\"brightness\": %d, \"stepped\": %d}%n", brightness, stepped);
    System.exit(0);
  }
}
