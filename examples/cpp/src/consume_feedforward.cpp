// SPDX-License-Identifier: Apache-2.0
// A consumer as a controller would have it: the callback keeps the latest feedforward, a control loop at 1 kHz takes from it
// what belongs to its own joints, in its own order, and falls back to zero where nothing fresh is there.
//
// Usage: consume_feedforward --ros-args -p joints:="['panda_joint1', 'panda_joint2']" -r hod/feedforward:=/left/hod/feedforward

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hod_interfaces/msg/torque_feedforward.hpp"
#include "rclcpp/rclcpp.hpp"

using hod_interfaces::msg::TorqueFeedforward;
using std::chrono::steady_clock;

namespace
{
constexpr auto kPeriod = std::chrono::milliseconds(1);
constexpr auto kTimeout = std::chrono::milliseconds(20);    // older feedforwards are not used

// Where each of our joints stands in a message; nothing where one of them is missing.
std::optional<std::vector<std::size_t>> columns_of(
  const std::vector<std::string> & joints, const std::vector<std::string> & names)
{
  std::vector<std::size_t> columns;
  for (const auto & joint : joints) {
    const auto found = std::find(names.begin(), names.end(), joint);
    if (found == names.end()) {
      return std::nullopt;
    }
    columns.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  return columns;
}

// The values of our joints. An array of an order that was not published is empty, which is not zero.
std::optional<std::vector<double>> values_of(const std::vector<double> & values, const std::vector<std::size_t> & columns)
{
  if (values.empty()) {
    return std::nullopt;
  }
  std::vector<double> own;
  own.reserve(columns.size());
  for (const auto column : columns) {
    own.push_back(values.at(column));
  }
  return own;
}
}  // namespace

class Consumer : public rclcpp::Node
{
public:
  Consumer()
  : Node("consume_feedforward"), joints_(declare_parameter("joints", std::vector<std::string>{}))
  {
    subscription_ = create_subscription<TorqueFeedforward>(
      "hod/feedforward", rclcpp::QoS(1).best_effort(),
      [this](TorqueFeedforward::ConstSharedPtr message) {receive(std::move(message));});
    control_timer_ = create_wall_timer(kPeriod, [this] {control();});
    report_timer_ = create_wall_timer(std::chrono::seconds(1), [this] {report();});
  }

private:
  void receive(TorqueFeedforward::ConstSharedPtr message)
  {
    if (message->joint_names != names_) {
      names_ = message->joint_names;
      columns_ = columns_of(joints_.empty() ? names_ : joints_, names_);
      if (!columns_) {
        RCLCPP_ERROR(get_logger(), "the feedforward lacks a joint of the parameter joints");
      }
    }
    latest_ = std::move(message);
    arrival_ = steady_clock::now();
    ++received_;
  }

  void control()
  {
    const bool fresh = latest_ && columns_ && steady_clock::now() - arrival_ < kTimeout;
    efforts_ = fresh ? values_of(latest_->efforts, *columns_) : std::nullopt;
    effort_rates_ = fresh ? values_of(latest_->effort_rates, *columns_) : std::nullopt;
    // Here: effort_command = efforts_ (or what is safe without them) + feedback.
  }

  void report()
  {
    if (!efforts_) {
      RCLCPP_INFO(get_logger(), "no fresh feedforward");
      return;
    }
    RCLCPP_INFO(
      get_logger(), "%zu a second; first joint: Q %.3f N m%s", received_, efforts_->front(),
      effort_rates_ ? (", Q' " + std::to_string(effort_rates_->front()) + " N m/s").c_str() : "");
    received_ = 0;
  }

  const std::vector<std::string> joints_;     // ours, in our order; empty: all, as they come
  std::vector<std::string> names_;            // of the latest message
  std::optional<std::vector<std::size_t>> columns_;
  TorqueFeedforward::ConstSharedPtr latest_;
  steady_clock::time_point arrival_;
  std::optional<std::vector<double>> efforts_;
  std::optional<std::vector<double>> effort_rates_;
  std::size_t received_ = 0;
  rclcpp::Subscription<TorqueFeedforward>::SharedPtr subscription_;
  rclcpp::TimerBase::SharedPtr control_timer_;
  rclcpp::TimerBase::SharedPtr report_timer_;
};

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<Consumer>());
  rclcpp::shutdown();
  return 0;
}
