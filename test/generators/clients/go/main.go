// A client in Go with types of oapi-codegen.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"generated/hm"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(must(os.ReadFile(os.Getenv("HM_CA"))))
	client := must(hm.NewClientWithResponses(
		os.Getenv("HM_URL"),
		hm.WithHTTPClient(&http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}),
		hm.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+os.Getenv("HM_TOKEN"))
			return nil
		}),
	))

	house := must(client.HouseGetWithResponse(ctx, nil))
	dimmer := dimmerOf(house.JSON200)
	state := must(dimmer.State.AsDimmerState())

	var step hm.Step
	check(step.FromSetBrightnessStep(hm.SetBrightnessStep{
		Device: dimmer.Id, Op: "set_brightness", Args: hm.BrightnessArgs{Bri: 40},
	}))
	var trigger hm.Trigger
	check(trigger.FromTimeTrigger(hm.TimeTrigger{Time: "07:00", Days: &[]hm.Weekday{1, 7}}))
	var condition hm.Condition
	after := "sunset"
	check(condition.FromWindowCondition(hm.WindowCondition{After: &after}))
	made := must(client.AutomationsCreateWithResponse(ctx, nil, hm.AutomationCreate{
		Name: "Made in Go", When: []hm.Trigger{trigger}, If: &[]hm.Condition{condition}, Then: []hm.Step{step},
	}))
	if made.JSON201 == nil {
		log.Fatal(string(made.Body))
	}

	read := must(client.AutomationsGetWithResponse(ctx, made.JSON201.Automation.Id, nil)).JSON200.Automation
	sent := must(client.AutomationsEditWithResponse(ctx, read.Id, nil, hm.AutomationEdit{
		IfRevision: read.Revision,
		Id:         &read.Id,
		Revision:   &read.Revision,
		Origin:     read.Origin,
		Paused:     &read.Paused,
		Name:       &read.Name,
		Enabled:    &read.Enabled,
		When:       &read.When,
		If:         &read.If,
		Then:       &read.Then,
		Mode:       &read.Mode,
	}))
	if sent.JSON200 == nil {
		log.Fatal(string(sent.Body))
	}
	first := must(sent.JSON200.Automation.Then[0].AsSetBrightnessStep())
	fmt.Println(string(must(json.Marshal(map[string]any{
		"brightness": state.Bri, "stepped": first.Args.Bri,
	}))))
}

func dimmerOf(house *hm.House) hm.Unit {
	rooms := house.Rooms
	for _, floor := range house.Floors {
		rooms = append(rooms, floor.Rooms...)
	}
	for _, room := range rooms {
		for _, unit := range room.Units {
			if unit.Class == "light_dimmer" {
				return unit
			}
		}
	}
	log.Fatal("there is no dimmer")
	return hm.Unit{}
}
